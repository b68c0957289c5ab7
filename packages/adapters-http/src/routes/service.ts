import type { UseCases } from '@chapter/domain';
import { nothing } from '../requests/request-input.ts';
import { presentInfo } from '../responses/present.ts';
import { Info } from '../schemas/service.ts';
import { defineRoute, type Route } from './route.ts';

/** What the service says of itself. Specification, section 4.12. */
export const serviceRoutes = (useCases: Pick<UseCases, 'getInfo'>): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/info/',
    operationId: 'getInfo',
    tag: 'Service',
    summary: 'Who you are and where the service is',
    description: 'For anyone who is signed in.',
    asks: nothing,
    status: 200,
    ok: Info,
    problems: ['validation_failed'],
    handle: async ({ actor }) => ({ body: presentInfo(await useCases.getInfo(actor)) }),
  }),
];
