import { DIVISION_READ_ONLY, DORMANT_DAYS, listRules, type UseCases } from '@chapter/domain/api';
import { changeInput } from '../lists/change-parameters.ts';
import { divisionListParameters, divisionUserListParameters } from '../lists/list-parameters.ts';
import { changesInput, countInput } from '../requests/request-input.ts';
import { presentAs, presentChanges, withRevision } from '../responses/present.ts';
import { ChangePage } from '../schemas/change.ts';
import { Division, DivisionChanges, DivisionStatistics } from '../schemas/division.ts';
import { DivisionUser } from '../schemas/user.ts';
import { defineListRoute } from './list-route.ts';
import { defineRoute, type UntaggedRoute } from './route.ts';

const presentDivision = presentAs(Division);
const presentStatistics = presentAs(DivisionStatistics);
const presentDivisionUser = presentAs(DivisionUser);

/** The endpoints of divisions (contract §1). */
export const divisionRoutes = (useCases: UseCases): readonly UntaggedRoute[] => [
  defineListRoute({
    path: '/api/divisions/',
    operationId: 'listDivisions',
    summary: 'List all divisions',
    description: 'For an Administrator.',
    problems: ['forbidden'],
    list: divisionListParameters,
    useCase: async ({ actor, readInput }) => useCases.listDivisions(await actor, readInput),
    exportUseCase: async ({ actor, readInput }) => useCases.listDivisions.export(await actor, readInput),
    fileName: 'divisions.csv',
    item: Division,
    present: presentDivision,
  }),
  defineRoute({
    method: 'GET',
    path: '/api/divisions/{id}/',
    operationId: 'getDivision',
    summary: 'Read a division',
    description: 'For a Leader or a Guest of the division.',
    ok: Division,
    responseHeaders: ['ETag'],
    problems: ['forbidden', 'not_found'],
    handle: async ({ actor, id }) => withRevision(presentDivision, await useCases.getDivision(actor, id)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/divisions/{id}/statistics/',
    operationId: 'getDivisionStatistics',
    summary: 'Count the members of a division',
    description: 'For a Leader or a Guest of the division, which must have at most 100,000 members.',
    input: countInput('dormant_days', 'The days without a login or refresh that make a member dormant.', DORMANT_DAYS),
    ok: DivisionStatistics,
    problems: ['forbidden', 'not_found', 'too_costly'],
    handle: async ({ actor, id, readInput }) => ({
      body: presentStatistics(await useCases.getDivisionStatistics(await actor, id, readInput)),
    }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/divisions/{id}',
    operationId: 'updateDivision',
    summary: 'Change a division',
    description: 'For a Leader of the division. Fields that are not sent stay as they are.',
    input: changesInput({
      schema: DivisionChanges,
      readOnly: DIVISION_READ_ONLY,
      example: { fanpage: 'https://example.org/riverside' },
    }),
    ok: Division,
    responseHeaders: ['ETag'],
    problems: ['forbidden', 'not_found', 'name_taken', 'precondition_failed'],
    handle: async ({ actor, id, readInput }) =>
      withRevision(presentDivision, await useCases.updateDivision(actor, id, readInput)),
  }),
  defineListRoute({
    path: '/api/division/{id}/users/',
    operationId: 'listDivisionUsers',
    summary: 'List the users of a division',
    description: 'For a Leader or a Guest of the division.',
    problems: ['forbidden', 'not_found'],
    list: divisionUserListParameters,
    useCase: async ({ actor, id, readInput }) => useCases.listDivisionUsers(await actor, id, readInput),
    exportUseCase: async ({ actor, id, readInput }) => useCases.listDivisionUsers.export(await actor, id, readInput),
    fileName: 'division-users.csv',
    item: DivisionUser,
    present: presentDivisionUser,
  }),
  defineRoute({
    method: 'GET',
    path: '/api/changes/',
    operationId: 'listChanges',
    summary: 'List the changes of your division',
    description:
      'For a Leader. Lists changes of the division and of its users, newest first. With `after`, a feed: oldest first, and each change exactly once. To keep a copy in step, read the user of each change again.',
    input: changeInput,
    ok: ChangePage,
    problems: ['forbidden'],
    handle: async ({ actor, path, readInput }) => {
      const page = await useCases.listChanges(await actor, readInput);
      const { side, size } = await readInput();
      const parameters = size === listRules.defaultSize ? '' : `page_size=${size}&`;
      const name = side === 'after' ? 'after' : 'cursor';
      return { body: presentChanges(page, (position) => `${path}?${parameters}${name}=${position}`) };
    },
  }),
];
