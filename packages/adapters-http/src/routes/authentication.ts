import { GROUP_DESCRIPTIONS, GROUPS, type UseCases } from '@chapter/domain/api';
import type { Static } from 'typebox';
import { fieldsInput, noInput, stringsInput } from '../requests/request-input.ts';
import { presentOwnSessions, presentSession } from '../responses/present.ts';
import { GroupList } from '../schemas/service.ts';
import { KeySet, Login, NewPassword, OwnSessionList, RefreshToken, Session } from '../schemas/session.ts';
import { definePublicRoute, defineRoute, NO_CONTENT, type Route } from './route.ts';

const tag = 'Authentication';
const refreshTokenInput = stringsInput({ schema: RefreshToken });

/** The endpoints of sessions, passwords, keys and groups (contract §6 and §11). */
export const authenticationRoutes = (useCases: UseCases): readonly Route[] => [
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/login/',
    operationId: 'logIn',
    tag,
    summary: 'Log in',
    description: 'Returns an access token to send as `Authorization: Bearer …`, and a refresh token for the next pair.',
    input: stringsInput({ schema: Login }),
    status: 200,
    ok: Session,
    problems: ['invalid_credentials', 'validation_failed'],
    handle: async ({ readInput, origin }) => {
      const { username, password } = await readInput();
      return { body: presentSession(await useCases.logIn({ ...origin, username, password })) };
    },
  }),
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/tokens/',
    operationId: 'refreshSession',
    tag,
    summary: 'Get a new pair of tokens',
    description:
      'Consumes the refresh token. Within the next 10 seconds, the same token still returns another pair, up to 5 times. Any other reuse ends the session. A session can be refreshed 60 times an hour. By default, it lasts at most 90 days from login.',
    input: refreshTokenInput,
    status: 200,
    ok: Session,
    problems: ['invalid_token', 'validation_failed'],
    handle: async ({ readInput }) => {
      const { refreshToken } = await readInput();
      return { body: presentSession(await useCases.refreshSession(refreshToken)) };
    },
  }),
  definePublicRoute({
    method: 'DELETE',
    path: '/api/auth/tokens/',
    operationId: 'endSession',
    tag,
    summary: 'Log out',
    description: 'Ends the session of the refresh token. An unknown, consumed or expired token gets the same response.',
    input: refreshTokenInput,
    ...NO_CONTENT,
    problems: ['validation_failed'],
    handle: async ({ readInput }) => {
      const { refreshToken } = await readInput();
      await useCases.endSession(refreshToken);
      return { body: null };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/sessions/',
    operationId: 'listOwnSessions',
    tag,
    summary: 'List your sessions',
    description: 'For any signed-in caller. Returns the sessions that have neither ended nor expired, newest first.',
    input: noInput,
    status: 200,
    ok: OwnSessionList,
    problems: ['validation_failed'],
    handle: async ({ actor }) => ({ body: presentOwnSessions(await useCases.listOwnSessions(await actor)) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/auth/sessions/{id}',
    operationId: 'endOwnSession',
    tag,
    summary: 'End one of your sessions',
    description:
      'For any signed-in caller. The access and refresh tokens of the session stop working. You can also end the session of this request.',
    input: noInput,
    ...NO_CONTENT,
    problems: ['not_found', 'validation_failed'],
    handle: async ({ actor, id, readInput }) => {
      await useCases.endOwnSession(await actor, id, readInput);
      return { body: null };
    },
  }),
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/passwords/',
    operationId: 'redeemPasswordLink',
    tag,
    summary: 'Set a password with a link',
    description: 'Sets the password of the user of the link, consumes the link, and ends all sessions of the user.',
    input: fieldsInput({ schema: NewPassword }),
    ...NO_CONTENT,
    problems: ['invalid_token', 'validation_failed'],
    handle: async ({ origin, readInput }) => {
      await useCases.redeemPasswordLink(origin, readInput);
      return { body: null };
    },
  }),
  definePublicRoute({
    method: 'GET',
    path: '/api/auth/keys/',
    operationId: 'listKeys',
    tag,
    summary: 'List the public keys',
    description: 'The keys that verify access tokens, as a JWK set (RFC 7517).',
    input: noInput,
    status: 200,
    ok: KeySet,
    problems: ['validation_failed'],
    cache: 'public, max-age=300',
    handle: async () => ({ body: useCases.listKeys() as Static<typeof KeySet> }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/groups/',
    operationId: 'listGroups',
    tag,
    summary: 'List the groups',
    description: 'For any signed-in caller. Returns all groups in one array.',
    input: noInput,
    status: 200,
    ok: GroupList,
    example: GROUPS.map((name) => ({ name, description: GROUP_DESCRIPTIONS[name] })),
    problems: ['validation_failed'],
    handle: async ({ actor }) => ({ body: useCases.listGroups(await actor) as Static<typeof GroupList> }),
  }),
];
