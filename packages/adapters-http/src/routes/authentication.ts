import { GROUP_DESCRIPTIONS, GROUPS, type UseCases } from '@chapter/domain/api';
import type { Static } from 'typebox';
import { fieldsInput, stringsInput } from '../requests/request-input.ts';
import { presentOwnSession, presentPersonalToken, presentSession } from '../responses/present.ts';
import { CreatedPersonalToken, NewPersonalToken, PersonalTokenList } from '../schemas/personal-token.ts';
import { GroupList } from '../schemas/service.ts';
import { KeySet, Login, NewPassword, OwnSessionList, RefreshToken, Session } from '../schemas/session.ts';
import { definePublicRoute, defineRoute, NO_CONTENT, noContent, type UntaggedRoute } from './route.ts';

const refreshTokenInput = stringsInput({ schema: RefreshToken });

/** The endpoints of sessions, passwords, keys, groups and personal access tokens (contract §6 and §11). */
export const authenticationRoutes = (useCases: UseCases): readonly UntaggedRoute[] => [
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/login/',
    operationId: 'logIn',
    summary: 'Log in',
    description: 'Returns an access token to send as `Authorization: Bearer …`, and a refresh token for the next pair.',
    input: stringsInput({ schema: Login }),
    ok: Session,
    problems: ['invalid_credentials'],
    handle: async ({ readInput, origin }) => {
      const { username, password } = await readInput();
      return { body: presentSession(await useCases.logIn({ ...origin, username, password })) };
    },
  }),
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/tokens/',
    operationId: 'refreshSession',
    summary: 'Get a new pair of tokens',
    description:
      'Consumes the refresh token. Within the next 10 seconds, the same token still returns another pair, up to 5 times. Any other reuse ends the session. A session can be refreshed 60 times an hour. By default, it lasts at most 90 days from login.',
    input: refreshTokenInput,
    ok: Session,
    problems: ['invalid_token'],
    handle: async ({ readInput }) => {
      const { refreshToken } = await readInput();
      return { body: presentSession(await useCases.refreshSession(refreshToken)) };
    },
  }),
  definePublicRoute({
    method: 'DELETE',
    path: '/api/auth/tokens/',
    operationId: 'endSession',
    summary: 'Log out',
    description: 'Ends the session of the refresh token. An unknown, consumed or expired token gets the same response.',
    input: refreshTokenInput,
    ...NO_CONTENT,
    handle: async ({ readInput }) => {
      const { refreshToken } = await readInput();
      return noContent(useCases.endSession(refreshToken));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/sessions/',
    operationId: 'listOwnSessions',
    summary: 'List your sessions',
    description: 'For any signed-in caller. Returns the sessions that have neither ended nor expired, newest first.',
    ok: OwnSessionList,
    handle: async ({ actor }) => ({ body: (await useCases.listOwnSessions(await actor)).map(presentOwnSession) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/auth/sessions/{id}',
    operationId: 'endOwnSession',
    summary: 'End one of your sessions',
    description:
      'For any signed-in caller. The access and refresh tokens of the session stop working. You can also end the session of this request.',
    ...NO_CONTENT,
    problems: ['not_found'],
    handle: async ({ actor, id, readInput }) => noContent(useCases.endOwnSession(await actor, id, readInput)),
  }),
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/passwords/',
    operationId: 'redeemPasswordLink',
    summary: 'Set a password with a link',
    description: 'Sets the password of the user of the link, consumes the link, and ends all sessions of the user.',
    input: fieldsInput({ schema: NewPassword }),
    ...NO_CONTENT,
    problems: ['invalid_token'],
    handle: async ({ origin, readInput }) => noContent(useCases.redeemPasswordLink(origin, readInput)),
  }),
  definePublicRoute({
    method: 'GET',
    path: '/api/auth/keys/',
    operationId: 'listKeys',
    summary: 'List the public keys',
    description: 'The keys that verify access tokens, as a JWK set (RFC 7517).',
    ok: KeySet,
    cache: 'public, max-age=300',
    handle: async () => ({ body: useCases.listKeys() as Static<typeof KeySet> }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/groups/',
    operationId: 'listGroups',
    summary: 'List the groups',
    description: 'For any signed-in caller. Returns all groups in one array.',
    ok: GroupList,
    example: GROUPS.map((name) => ({ name, description: GROUP_DESCRIPTIONS[name] })),
    handle: async ({ actor }) => ({ body: useCases.listGroups(await actor) as Static<typeof GroupList> }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/access-tokens/',
    operationId: 'createAccessToken',
    summary: 'Create a personal access token',
    description:
      'For any signed-in caller. Returns a `token` with which a script of yours sends requests as you, with your current rights. It is shown once. It cannot change passwords, create password links, or use sessions and tokens.',
    input: fieldsInput({ schema: NewPersonalToken }),
    status: 201,
    ok: CreatedPersonalToken,
    problems: ['forbidden', 'not_found', 'too_many_tokens'],
    handle: async ({ actor, readInput }) => {
      const caller = await actor;
      const { token, ...created } = await useCases.createAccessToken(caller, caller.id, readInput);
      return { body: { ...presentPersonalToken(created), token } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/access-tokens/',
    operationId: 'listAccessTokens',
    summary: 'List your personal access tokens',
    description: 'For any signed-in caller. Returns the tokens that have neither ended nor expired, newest first.',
    ok: PersonalTokenList,
    problems: ['not_found'],
    handle: async ({ actor }) => {
      const caller = await actor;
      return { body: (await useCases.listAccessTokens(caller, caller.id)).map(presentPersonalToken) };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/auth/access-tokens/{id}',
    operationId: 'endAccessToken',
    summary: 'End one of your personal access tokens',
    description: 'For any signed-in caller. The token stops working.',
    ...NO_CONTENT,
    problems: ['not_found'],
    handle: async ({ actor, id, readInput }) => {
      const caller = await actor;
      return noContent(useCases.endAccessToken(caller, caller.id, id, readInput));
    },
  }),
];
