import { Type } from 'typebox';
import { closed } from './closed.ts';
import { Id, Instant, Password } from './fields.ts';
import { nullable } from './nullable.ts';

/** The body of a login. Its fields have no bounds of their own, so that a refusal reveals nothing about accounts. */
export const Login = Type.Object({ username: Type.String(), password: Type.String({ writeOnly: true }) }, closed);

/** The body that refreshes or ends a session. */
export const RefreshToken = Type.Object({ refresh_token: Type.String() }, closed);

/** A pair of tokens, with their lifetimes in seconds. Contract, section 6. */
export const Session = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer(),
    refresh_token: Type.String(),
    refresh_expires_in: Type.Integer(),
  },
  closed,
);

/** The caller's sessions. Contract, section 11. */
export const OwnSessionList = Type.Array(
  Type.Object(
    {
      id: Id,
      created_at: Instant,
      refreshed_at: Instant,
      user_agent: nullable(Type.String({ description: 'What the client that logged in calls itself.' })),
      current: Type.Boolean({ description: 'Whether the access token of this request belongs to the session.' }),
    },
    closed,
  ),
);

/** A password link, whose token is shown once. Contract, section 11. */
export const PasswordLink = Type.Object({ token: Type.String(), expires_at: Instant }, closed);

/** The body that sets a password by a link. */
export const NewPassword = Type.Object({ token: Type.String({ writeOnly: true }), password: Password }, closed);

/** Public keys as a JWK set. RFC 7517. */
export const KeySet = Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) }, closed);
