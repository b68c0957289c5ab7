import { hash, randomBytes } from 'node:crypto';
import type { RefreshTokens } from '@chapter/domain';

// Random enough that nobody can guess: a slow hash with salt would add nothing, and could not be looked up.
const digestOf = (token: string): string => hash('sha256', token, 'hex');

/** Issues refresh tokens of 256 random bits in base64url, with their SHA-256 in hexadecimal. Contract §6. */
export const randomRefreshTokens: RefreshTokens = {
  issue: () => {
    const token = randomBytes(32).toString('base64url');
    return { token, digest: digestOf(token) };
  },
  digestOf,
};
