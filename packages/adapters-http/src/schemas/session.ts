import { Type } from 'typebox';
import { freeText, Instant, nullableSchema, objectSchema, Password, SessionId } from './fields.ts';

/** The body of a login. Its fields have no limits, so that errors reveal nothing about accounts. */
export const Login = objectSchema({
  username: freeText('ada'),
  password: Type.String({ writeOnly: true, examples: ['correct horse battery'] }),
});

const refreshToken = freeText('q0dQ1Yp7r2x8mZr5wVYl3m0bk7VxT2cN9sRjW4hYpLf0aEuZqM3tBgDdOeXnKiCy5SA');

/** The body that refreshes or ends a session. */
export const RefreshToken = objectSchema({ refresh_token: refreshToken });

/** A pair of tokens with their lifetimes in seconds (contract §6). */
export const Session = objectSchema({
  access_token: freeText('eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl'),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ examples: [900] }),
  refresh_token: refreshToken,
  refresh_expires_in: Type.Integer({ examples: [1_209_600] }),
});

const passwordLinkToken = freeText('Zk3vT0m1yQ8r5wXb7cJ2nL9sD4fH6gK1pA0eUiOqWxY');

/** The caller's sessions (contract §11). */
export const OwnSessionList = Type.Array(
  objectSchema({
    id: SessionId,
    created_at: Instant,
    refreshed_at: Instant,
    user_agent: nullableSchema(
      freeText('Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', 'The `User-Agent` of the login.'),
    ),
    current: Type.Boolean({
      description: 'Whether the access token of this request belongs to the session.',
      examples: [true],
    }),
  }),
);

/** A password link, whose token is shown once (contract §11). */
export const PasswordLink = objectSchema({
  url: Type.String({
    format: 'uri-reference',
    description:
      'The page on which the user sets a password. Relative to the address of the service if the service does not know that.',
    examples: ['https://members.example.org/password/#username=ada&token=Zk3vT0m1yQ8r5wXb7cJ2nL9sD4fH6gK1pA0eUiOqWxY'],
  }),
  token: passwordLinkToken,
  expires_at: Instant,
});

/** The body that sets a password by a link. */
export const NewPassword = objectSchema({ token: passwordLinkToken, password: Password });

const exampleKey = { kty: 'OKP', crv: 'Ed25519', kid: '2026-01', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

/** Public keys as a JWK set. RFC 7517. */
export const KeySet = objectSchema({
  keys: Type.Array(Type.Record(Type.String(), Type.Unknown(), { examples: [exampleKey] })),
});
