import { USER_READ_ONLY, type UseCases } from '@chapter/domain/api';
import { userListParameters } from '../lists/list-parameters.ts';
import { changesInput, creationInput, emptyInput, preconditionInput } from '../requests/request-input.ts';
import { presentAs, presentUser, presentUserSummary, withRevision } from '../responses/present.ts';
import { PasswordLink } from '../schemas/session.ts';
import { NewUser, User, UserChanges, UserSummary } from '../schemas/user.ts';
import { defineListRoute } from './list-route.ts';
import { defineRoute, NO_CONTENT, noContent, type UntaggedRoute } from './route.ts';

const readOnly = USER_READ_ONLY;
const presentPasswordLink = presentAs(PasswordLink);

/** The endpoints of users (contract §1). */
export const userRoutes = (useCases: UseCases): readonly UntaggedRoute[] => [
  defineListRoute({
    path: '/api/users/',
    operationId: 'listUsers',
    summary: 'List the users of your division',
    description: 'For a Leader or a Guest. No parameter shows users of another division.',
    // `not_found`, also below: the caller was moved to another division during the request.
    problems: ['forbidden', 'not_found'],
    list: userListParameters,
    useCase: async ({ actor, readInput }) => useCases.listUsers(await actor, readInput),
    exportUseCase: async ({ actor, readInput }) => useCases.listUsers.export(await actor, readInput),
    fileName: 'users.csv',
    item: User,
    present: presentUser,
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/',
    operationId: 'createUser',
    summary: 'Create a user in your division',
    description:
      'For a Leader. With an `Idempotency-Key`, a repeated request returns the first response and creates nothing.',
    input: creationInput({
      schema: NewUser,
      readOnly,
      example: {
        username: 'ada',
        password: 'correct horse battery',
        email: 'ada@example.org',
        first_name: 'Ada',
        last_name: 'Lovelace',
        birthdate: '1990-12-10',
      },
    }),
    status: 201,
    ok: User,
    responseHeaders: ['ETag', 'Location'],
    problems: ['forbidden', 'field_forbidden', 'not_found', 'username_taken', 'email_taken', 'idempotency_conflict'],
    handle: async ({ actor, readInput }) => {
      const user = await useCases.createUser(await actor, readInput);
      return { ...withRevision(presentUser, user), location: `/api/users/${user.id}/` };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/users/{id}/',
    operationId: 'getUser',
    summary: 'Read a user',
    description: 'For the user themself, and for a Leader or a Guest of their division.',
    ok: UserSummary,
    responseHeaders: ['ETag'],
    problems: ['not_found'],
    handle: async ({ actor, id }) => withRevision(presentUserSummary, await useCases.getUser(actor, id)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/user/',
    operationId: 'getOwnUser',
    summary: 'Read yourself',
    description: 'For any signed-in caller. Returns all fields, with the `ETag` that a change of the user accepts.',
    ok: User,
    responseHeaders: ['ETag'],
    handle: async ({ actor }) => withRevision(presentUser, await useCases.getOwnUser(await actor)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/users/{id}',
    operationId: 'updateUser',
    summary: 'Change a user',
    description:
      'For the user themself, and for a Leader of their division. Fields that are not sent stay as they are. Users who change their own password send `current_password`. A new password ends every session of the user.',
    input: changesInput({
      schema: UserChanges,
      readOnly,
      example: { last_name: 'Lovelace', groups: ['User'] },
    }),
    ok: User,
    responseHeaders: ['ETag'],
    problems: [
      'forbidden',
      'field_forbidden',
      // A personal access token may not change passwords.
      'session_required',
      'not_found',
      'username_taken',
      'email_taken',
      'last_leader',
      'precondition_failed',
    ],
    handle: async ({ actor, id, readInput }) =>
      withRevision(presentUser, await useCases.updateUser(actor, id, readInput)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/users/{id}',
    operationId: 'deleteUser',
    summary: 'Delete a user',
    description: 'For a Leader of the user’s division. The last active Leader of a division cannot be deleted.',
    input: preconditionInput,
    ...NO_CONTENT,
    problems: ['forbidden', 'not_found', 'last_leader', 'precondition_failed'],
    handle: async ({ actor, id, readInput }) => noContent(useCases.deleteUser(actor, id, readInput)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/users/{id}/password-links/',
    operationId: 'createPasswordLink',
    summary: 'Create a password link',
    description:
      'Returns the URL of a page on which the user sets a password, and its token. For a Leader of the user’s division, who passes the URL on to the user. Only a Leader who is also an Administrator can create a link for an Administrator. It is valid for 72 hours and replaces an earlier link.',
    input: emptyInput(),
    status: 201,
    ok: PasswordLink,
    problems: ['forbidden', 'not_found'],
    handle: async ({ actor, id, readInput }) => ({
      body: presentPasswordLink(await useCases.createPasswordLink(actor, id, readInput)),
    }),
  }),
];
