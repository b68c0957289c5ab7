import { hash, randomBytes } from 'node:crypto';
import type { RefreshTokens } from '@chapter/domain/ports';

/** The length of the part of a token that its family shares, in characters: 144 random bits. */
const FAMILY_LENGTH = 24;

const familyOf = (token: string): string => token.slice(0, FAMILY_LENGTH);

// The tokens are too random to guess, so a slow hash adds nothing. A salted hash could not be looked up.
const digestOf = (text: string): string => hash('sha256', text, 'hex');

const digestsOf: RefreshTokens['digestsOf'] = (token) => ({
  digest: digestOf(token),
  family: digestOf(familyOf(token)),
});

/**
 * Issues refresh tokens in base64url, with their SHA-256 in hexadecimal (contract §6): the part of the family, then 256 random
 * bits. A token of release 0.1.0, 256 bits without such a part, starts a family of its first characters.
 */
export const randomRefreshTokens: RefreshTokens = {
  issue: (previous = randomBytes(18).toString('base64url')) => {
    const token = familyOf(previous) + randomBytes(32).toString('base64url');
    return { token, digest: digestOf(token) };
  },
  digestsOf,
};
