import { type Actor, actorFromClaims } from '@chapter/domain';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

/** Where tokens come from, and what they must say. */
export interface VerificationSettings {
  /** Base URL of the Chapter Membership Service. */
  readonly chapterUrl: string;
  /** `JWT_ISSUER` of the Chapter Membership Service. */
  readonly issuer: string;
  /** `JWT_AUDIENCE` of the Chapter Membership Service. */
  readonly audience: string;
}

/** Returns whether verification failed because of the token. Otherwise, the key set could not be fetched. */
const isFaultOfToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError && /^ERR_(JWT|JWS|JOSE_ALG|JWKS_NO_MATCHING_KEY)/.test(error.code);

/** Makes a function that returns the caller, or null without a valid token. It rejects if the keys cannot be fetched. */
export const makeAuthenticate = ({ chapterUrl, issuer, audience }: VerificationSettings) => {
  // Fetches the keys when the first token comes, and again when a token names a key that it does not have.
  const keys = createRemoteJWKSet(new URL('/api/auth/keys/', chapterUrl));
  return async (authorization = ''): Promise<Actor | null> => {
    const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
    if (!token) return null;
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ['EdDSA', 'ES256'],
        typ: 'at+jwt',
        issuer,
        audience,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: 5,
      });
      return actorFromClaims(payload);
    } catch (error) {
      if (isFaultOfToken(error)) return null;
      throw error;
    }
  };
};
