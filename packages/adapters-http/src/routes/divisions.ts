import { DIVISION_READ_ONLY, type UseCases } from '@chapter/domain';
import { divisionList, divisionUserList } from '../lists/lists.ts';
import { entityTag } from '../requests/etag.ts';
import { changesOf, nothing, queryOf } from '../requests/request-input.ts';
import { presentDivision, presentDivisionUser } from '../responses/present.ts';
import { Division, DivisionChanges } from '../schemas/division.ts';
import { pageOf } from '../schemas/page.ts';
import { DivisionUser } from '../schemas/user.ts';
import { envelope } from './list-route.ts';
import { defineRoute, type Route } from './route.ts';

type DivisionUseCases = Pick<UseCases, 'listDivisions' | 'getDivision' | 'updateDivision' | 'listDivisionUsers'>;

const tag = 'Divisions';

/** The endpoints of divisions. Specification, sections 4.8 to 4.11. */
export const divisionRoutes = (useCases: DivisionUseCases): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/divisions/',
    operationId: 'listDivisions',
    tag,
    summary: 'List all divisions',
    description: 'For an Administrator.',
    asks: queryOf(divisionList),
    status: 200,
    ok: pageOf(Division),
    problems: ['forbidden', 'validation_failed'],
    handle: async (request) => ({
      body: envelope(request, await useCases.listDivisions(request.actor, request.ask), presentDivision),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/divisions/{id}/',
    operationId: 'getDivision',
    tag,
    summary: 'Read a division',
    description: 'For a Leader or a Guest of the division.',
    asks: nothing,
    status: 200,
    ok: Division,
    answers: ['ETag'],
    problems: ['forbidden', 'not_found', 'validation_failed'],
    handle: async ({ actor, id }) => {
      const division = await useCases.getDivision(actor, id);
      return { body: presentDivision(division), etag: entityTag(division.revision) };
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/divisions/{id}',
    operationId: 'updateDivision',
    tag,
    summary: 'Change a division',
    description: 'For a Leader of the division. Fields that are not sent stay as they are.',
    asks: changesOf({ schema: DivisionChanges, readOnly: DIVISION_READ_ONLY }),
    status: 200,
    ok: Division,
    answers: ['ETag'],
    problems: ['forbidden', 'not_found', 'name_taken', 'precondition_failed', 'rate_limited', 'validation_failed'],
    handle: async ({ actor, id, ask }) => {
      const division = await useCases.updateDivision(actor, id, ask);
      return { body: presentDivision(division), etag: entityTag(division.revision) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/division/{id}/users/',
    operationId: 'listDivisionUsers',
    tag,
    summary: 'List the users of a division',
    description: 'For a Leader or a Guest of the division.',
    asks: queryOf(divisionUserList),
    status: 200,
    ok: pageOf(DivisionUser),
    problems: ['forbidden', 'not_found', 'validation_failed'],
    handle: async (request) => {
      const page = await useCases.listDivisionUsers(request.actor, request.id, request.ask);
      return { body: envelope(request, page, presentDivisionUser) };
    },
  }),
];
