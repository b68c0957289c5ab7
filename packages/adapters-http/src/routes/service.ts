import type { UseCases } from '@chapter/domain';
import { noInput, targetInput } from '../requests/request-input.ts';
import { presentInfo, presentPermissions } from '../responses/present.ts';
import { Info, Permissions } from '../schemas/service.ts';
import { exampleDivision, exampleUser } from './examples.ts';
import { defineRoute, type Route } from './route.ts';

const ownScope = { scope: [{ id: exampleUser.id }], isExact: true };

/** The endpoints that describe the caller and the server (contract §3 and §4). */
export const serviceRoutes = (useCases: Pick<UseCases, 'getInfo' | 'getPermissions'>): readonly Route[] => [
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
    example: presentInfo({
      id: exampleUser.id,
      username: exampleUser.username,
      divisionName: exampleDivision.name,
      publicIp: '203.0.113.7',
    }),
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
    example: presentPermissions({
      actions: [{ name: 'updateUser', ...ownScope }],
      writableFields: [{ name: 'firstName', ...ownScope }],
      target: {
        decisions: [
          { action: 'deleteUser', outcome: 'forbidden', reason: 'only a Leader of the division may do this' },
        ],
        writableFields: ['firstName'],
      },
    }),
    problems: ['not_found', 'validation_failed'],
    handle: async ({ actor, readInput }) => ({
      body: presentPermissions(await useCases.getPermissions(actor, await readInput())),
    }),
  }),
];
