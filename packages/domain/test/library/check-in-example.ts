import { actorFromClaims, anyOf, makeExplain, onUser, rules, type UserTarget } from '@chapter/domain';
import { createRemoteJWKSet, jwtVerify } from 'jose';

/** Members check in themselves, and Leaders the members of their division. */
const explain = makeExplain({ checkIn: onUser(anyOf(rules.self, rules.leader)) });

/** Makes the check-in to an event, for callers with access tokens of the service at this URL. */
export const makeCheckIn = (chapterUrl: string) => {
  // Fetches the keys when the first token comes, and again when a token names a key that it does not have.
  const keys = createRemoteJWKSet(new URL('/api/auth/keys/', chapterUrl));
  return async (token: string, member: UserTarget): Promise<{ status: number; detail: string }> => {
    // Rejects an invalid token, which is 401, or if the keys cannot be fetched, which is 503.
    const { payload } = await jwtVerify(token, keys, {
      issuer: 'chapter-membership-service', // JWT_ISSUER of the service
      audience: 'chapter-membership-service', // JWT_AUDIENCE of the service
      typ: 'at+jwt',
      algorithms: ['EdDSA', 'ES256'],
      requiredClaims: ['sub', 'exp'],
    });
    // The actor of malformed claims is null, and has no rights.
    const { outcome, reason } = explain(actorFromClaims(payload), 'checkIn', member);
    const status = { allowed: 200, unauthenticated: 401, forbidden: 403, not_found: 404 }[outcome];
    return { status, detail: status === 404 ? 'not found' : reason };
  };
};
