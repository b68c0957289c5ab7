import { Type } from 'typebox';
import { closed } from './closed.ts';

/** The body of a login. Its fields have no limits, so that errors reveal nothing about accounts. */
export const Login = Type.Object(
  {
    username: Type.String({ examples: ['ada'] }),
    password: Type.String({ writeOnly: true, examples: ['correct horse battery'] }),
  },
  closed,
);

const refreshToken = Type.String({ examples: ['q0dQ1Yp7r2x8mZr5wVYl3m0b9yJm6oCw2c1QeYd6t8E'] });

/** The body that refreshes or ends a session. */
export const RefreshToken = Type.Object({ refresh_token: refreshToken }, closed);

/** A pair of tokens with their lifetimes in seconds (contract §6). */
export const Session = Type.Object(
  {
    access_token: Type.String({ examples: ['eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl'] }),
    token_type: Type.Literal('Bearer', { examples: ['Bearer'] }),
    expires_in: Type.Integer({ examples: [900] }),
    refresh_token: refreshToken,
    refresh_expires_in: Type.Integer({ examples: [1_209_600] }),
  },
  closed,
);

/** Public keys as a JWK set. RFC 7517. */
export const KeySet = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { examples: [[{ kty: 'OKP', crv: 'Ed25519' }]] }) },
  closed,
);
