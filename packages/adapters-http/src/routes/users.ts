import { USER_READ_ONLY, type UseCases } from '@chapter/domain';
import { userList } from '../lists/lists.ts';
import { entityTag } from '../requests/etag.ts';
import { changesOf, creationOf, nothing, precondition, queryOf } from '../requests/request-input.ts';
import { presentUser, presentUserSummary } from '../responses/present.ts';
import { pageOf } from '../schemas/page.ts';
import { NewUser, User, UserChanges, UserSummary } from '../schemas/user.ts';
import { envelope } from './list-route.ts';
import { defineRoute, type Route } from './route.ts';

type UserUseCases = Pick<UseCases, 'listUsers' | 'getUser' | 'createUser' | 'updateUser' | 'deleteUser'>;

const tag = 'Users';
const readOnly = USER_READ_ONLY;

/** The endpoints of users. Specification, sections 4.3 to 4.7. */
export const userRoutes = (useCases: UserUseCases): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/users/',
    operationId: 'listUsers',
    tag,
    summary: 'List the users of your division',
    description: 'For a Leader or a Guest. Nothing in a parameter shows users of another division.',
    asks: queryOf(userList),
    status: 200,
    ok: pageOf(User),
    problems: ['forbidden', 'validation_failed'],
    handle: async (request) => ({
      body: envelope(request, await useCases.listUsers(request.actor, request.ask), presentUser),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/',
    operationId: 'createUser',
    tag,
    summary: 'Create a user in your division',
    description:
      'For a Leader. With an `Idempotency-Key`, a repeated request answers as the first did and creates nothing.',
    asks: creationOf({ schema: NewUser, readOnly }),
    status: 201,
    ok: User,
    answers: ['ETag', 'Location'],
    problems: [
      'forbidden',
      'field_forbidden',
      // The caller was moved to another division meanwhile.
      'not_found',
      'username_taken',
      'email_taken',
      'idempotency_conflict',
      'rate_limited',
      'validation_failed',
    ],
    handle: async ({ actor, ask }) => {
      const user = await useCases.createUser(actor, ask);
      return { body: presentUser(user), etag: entityTag(user.revision), location: `/api/users/${user.id}/` };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/users/{id}/',
    operationId: 'getUser',
    tag,
    summary: 'Read a user',
    description: 'For the user themself, and for a Leader or a Guest of their division.',
    asks: nothing,
    status: 200,
    ok: UserSummary,
    answers: ['ETag'],
    problems: ['not_found', 'validation_failed'],
    handle: async ({ actor, id }) => {
      const user = await useCases.getUser(actor, id);
      return { body: presentUserSummary(user), etag: entityTag(user.revision) };
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/users/{id}',
    operationId: 'updateUser',
    tag,
    summary: 'Change a user',
    description:
      'For the user themself, and for a Leader of their division. Fields that are not sent stay as they are. A new password of one’s own needs `current_password`; it ends every session of the user.',
    asks: changesOf({ schema: UserChanges, readOnly }),
    status: 200,
    ok: User,
    answers: ['ETag'],
    problems: [
      'forbidden',
      'field_forbidden',
      'not_found',
      'username_taken',
      'email_taken',
      'last_leader',
      'precondition_failed',
      'validation_failed',
      'rate_limited',
    ],
    handle: async ({ actor, id, ask }) => {
      const user = await useCases.updateUser(actor, id, ask);
      return { body: presentUser(user), etag: entityTag(user.revision) };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/users/{id}',
    operationId: 'deleteUser',
    tag,
    summary: 'Delete a user',
    description: 'For a Leader of the user’s division. The last active Leader of a division cannot be deleted.',
    asks: precondition,
    status: 204,
    ok: null,
    problems: ['forbidden', 'not_found', 'last_leader', 'precondition_failed', 'validation_failed'],
    handle: async ({ actor, id, ask }) => {
      await useCases.deleteUser(actor, id, ask);
      return { body: null };
    },
  }),
];
