import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { PERSONAL_TOKEN_PATTERN, type PersonalTokenFormat } from '@chapter/domain/ports';

const SHAPE = new RegExp(`^${PERSONAL_TOKEN_PATTERN}$`);

/** The length of a CRC-32 in hexadecimal. */
const CHECKSUM_LENGTH = 8;

const withChecksum = (text: string): string => text + crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0');

// The tokens are too random to guess, so a slow hash adds nothing. A salted hash could not be looked up.
const digestOf = (token: string): string => hash('sha256', token, 'hex');

/**
 * Issues personal access tokens (contract §11). The checksum is the CRC-32 of all before it, so that a secret scanner can tell a
 * token from other text without asking the service.
 */
export const randomPersonalTokens: PersonalTokenFormat = {
  issue: () => {
    const token = withChecksum(`chapter_pat_${randomBytes(32).toString('hex')}`);
    return { token, digest: digestOf(token) };
  },
  digestOf: (token) =>
    SHAPE.test(token) && withChecksum(token.slice(0, -CHECKSUM_LENGTH)) === token ? digestOf(token) : null,
};
