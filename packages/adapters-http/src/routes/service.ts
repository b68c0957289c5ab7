import type { UseCases } from '@chapter/domain';
import { noInput, targetInput } from '../requests/request-input.ts';
import { presentInfo, presentPermissions } from '../responses/present.ts';
import { Info, Permissions } from '../schemas/service.ts';
import { defineRoute, type Route } from './route.ts';

/** The endpoints that describe the caller and the server (contract §3 and §4). */
export const serviceRoutes = (useCases: UseCases): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/info/',
    operationId: 'getInfo',
    tag: 'Service',
    summary: 'Read your account and the address of the service',
    description: 'For any signed-in caller.',
    input: noInput,
    status: 200,
    ok: Info,
    problems: ['validation_failed'],
    handle: async ({ actor }) => ({ body: presentInfo(await useCases.getInfo(await actor)) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/permissions/',
    operationId: 'getPermissions',
    tag: 'Authentication',
    summary: 'Read what you may do',
    description:
      'For any signed-in caller. Returns the actions that you may perform with this token, and, with `user` or `division`, the decision about each action on this target.',
    input: targetInput,
    status: 200,
    ok: Permissions,
    problems: ['not_found', 'validation_failed'],
    handle: async ({ actor, readInput }) => ({
      body: presentPermissions(await useCases.getPermissions(actor, await readInput())),
    }),
  }),
];
