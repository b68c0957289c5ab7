import type { UseCases } from '@chapter/domain';
import { noInput } from '../requests/request-input.ts';
import { presentInfo } from '../responses/present.ts';
import { Info } from '../schemas/service.ts';
import { defineRoute, type Route } from './route.ts';

/** The endpoint that describes the caller and the server (contract §4). */
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
];
