import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { PERSONAL_TOKEN_PATTERN, type PersonalTokenFormat, type RefreshTokens } from '@chapter/domain/ports';

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
 * Issues refresh tokens in base64url, with their SHA-256 in hexadecimal (contract §6): the part of the family, then 256
 * random bits. A token of release 0.1.0, 256 bits without such a part, starts a family of its first characters.
 */
export const randomRefreshTokens: RefreshTokens = {
  issue: (previous = randomBytes(18).toString('base64url')) => {
    const token = familyOf(previous) + randomBytes(32).toString('base64url');
    return { token, digest: digestOf(token) };
  },
  digestsOf,
};

const SHAPE = new RegExp(`^${PERSONAL_TOKEN_PATTERN}$`);

/** The length of a CRC-32 in hexadecimal. */
const CHECKSUM_LENGTH = 8;

const withChecksum = (text: string): string => text + crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0');

/**
 * Issues personal access tokens (contract §11). The checksum is the CRC-32 of all before it, so that a secret scanner
 * can tell a token from other text without asking the service.
 */
export const randomPersonalTokens: PersonalTokenFormat = {
  issue: () => {
    const token = withChecksum(`chapter_pat_${randomBytes(32).toString('hex')}`);
    return { token, digest: digestOf(token) };
  },
  digestOf: (token) =>
    SHAPE.test(token) && withChecksum(token.slice(0, -CHECKSUM_LENGTH)) === token ? digestOf(token) : null,
};
