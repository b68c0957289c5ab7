import type { UseCases } from '@chapter/domain';
import type { Static } from 'typebox';
import { bodyOf, nothing } from '../requests/request-input.ts';
import { presentSession } from '../responses/present.ts';
import { GroupList } from '../schemas/service.ts';
import { KeySet, Login, RefreshToken, Session } from '../schemas/session.ts';
import { definePublicRoute, defineRoute, type Route } from './route.ts';

type AuthenticationUseCases = Pick<UseCases, 'logIn' | 'refreshSession' | 'endSession' | 'listKeys' | 'listGroups'>;

const tag = 'Authentication';
const refreshToken = bodyOf<{ readonly refreshToken: string }>(RefreshToken);

/** The ways in and out, the keys and the groups. Specification, sections 4.1 and 4.2; contract, section 6. */
export const authenticationRoutes = (useCases: AuthenticationUseCases): readonly Route[] => [
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/login/',
    operationId: 'logIn',
    tag,
    summary: 'Log in',
    description:
      'Answers an access token to send as `Authorization: Bearer …`, and a refresh token to get the next pair with.',
    asks: bodyOf<Static<typeof Login>>(Login),
    status: 200,
    ok: Session,
    problems: ['invalid_credentials', 'rate_limited', 'validation_failed'],
    handle: async ({ ask, origin: { network, requestId, isAbandoned } }) => {
      const { username, password } = await ask();
      return { body: presentSession(await useCases.logIn({ username, password, network, requestId, isAbandoned })) };
    },
  }),
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/tokens/',
    operationId: 'refreshSession',
    tag,
    summary: 'Get a new pair of tokens',
    description:
      'Consumes the refresh token. Presented again within 10 seconds, up to 5 times, it returns a further pair; later or more often it ends its session. A session ends 90 days after login at the latest, unless the service is set up otherwise.',
    asks: refreshToken,
    status: 200,
    ok: Session,
    problems: ['invalid_token', 'validation_failed'],
    handle: async ({ ask }) => {
      const sent = await ask();
      return { body: presentSession(await useCases.refreshSession(sent.refreshToken)) };
    },
  }),
  definePublicRoute({
    method: 'DELETE',
    path: '/api/auth/tokens/',
    operationId: 'endSession',
    tag,
    summary: 'Log out',
    description: 'Ends the session of the refresh token, whatever the token is worth.',
    asks: refreshToken,
    status: 204,
    ok: null,
    problems: ['validation_failed'],
    handle: async ({ ask }) => {
      const sent = await ask();
      await useCases.endSession(sent.refreshToken);
      return { body: null };
    },
  }),
  definePublicRoute({
    method: 'GET',
    path: '/api/auth/keys/',
    operationId: 'listKeys',
    tag,
    summary: 'List the public keys',
    description: 'The keys that access tokens are checked with, as a JWK set (RFC 7517).',
    asks: nothing,
    status: 200,
    ok: KeySet,
    problems: ['validation_failed'],
    cache: 'public, max-age=300',
    handle: () => ({ body: useCases.listKeys() as Static<typeof KeySet> }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/groups/',
    operationId: 'listGroups',
    tag,
    summary: 'List the groups',
    description: 'For anyone who is signed in. All groups in one array.',
    asks: nothing,
    status: 200,
    ok: GroupList,
    problems: ['validation_failed'],
    handle: ({ actor }) => ({ body: useCases.listGroups(actor) as Static<typeof GroupList> }),
  }),
];
