import type { UseCases } from '@chapter/domain';
import { targetInput } from '../requests/request-input.ts';
import { presentAs, presentPermissions } from '../responses/present.ts';
import { Info, Permissions } from '../schemas/service.ts';
import { defineRoute, type UntaggedRoute } from './route.ts';

const presentInfo = presentAs(Info);

/** The endpoint that describes the caller and the server (contract §4). */
export const serviceRoutes = (useCases: UseCases): readonly UntaggedRoute[] => [
  defineRoute({
    method: 'GET',
    path: '/api/info/',
    operationId: 'getInfo',
    summary: 'Read your account and the address of the service',
    description: 'For any signed-in caller.',
    ok: Info,
    handle: async ({ actor }) => ({ body: presentInfo(await useCases.getInfo(await actor)) }),
  }),
];

/** The endpoint that describes what the caller may do (contract §3). */
export const permissionRoutes = (useCases: UseCases): readonly UntaggedRoute[] => [
  defineRoute({
    method: 'GET',
    path: '/api/auth/permissions/',
    operationId: 'getPermissions',
    summary: 'Read what you may do',
    description:
      'For any signed-in caller. Returns the actions that you may perform with this token, and, with `user` or `division`, the decision about each action on this target.',
    input: targetInput,
    ok: Permissions,
    problems: ['not_found'],
    handle: async ({ actor, readInput }) => ({
      body: presentPermissions(await useCases.getPermissions(actor, await readInput())),
    }),
  }),
];
