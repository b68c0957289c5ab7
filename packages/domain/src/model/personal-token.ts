import type { CalendarDate, Instant, PersonalTokenId, UserId } from './user.ts';

/** A personal access token to store: the token itself is never stored, only its digest. */
export interface NewPersonalToken {
  readonly id: PersonalTokenId;
  readonly userId: UserId;
  /** Chosen by the user, to recognize the token in a list. */
  readonly name: string;
  /** The digest by which the token is found. */
  readonly digest: string;
  /** Whether the token only permits requests that change nothing. */
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant;
}

/** A stored personal access token, without its secret. */
export interface PersonalToken extends Omit<NewPersonalToken, 'userId' | 'digest'> {
  readonly createdAt: Instant;
  /** The day (UTC) of its last use; null before the first. */
  readonly lastUsedOn: CalendarDate | null;
}

/** Limits of personal access tokens; `maxDays` is the longest lifetime. See contract §11. */
export const PERSONAL_TOKEN_RULES = Object.freeze({
  maxPerUser: 20,
  name: Object.freeze({ min: 1, max: 100 }),
  maxDays: 366,
});

/** The beginning of every personal access token, by which secret scanners find them. No other token has it. */
const TOKEN_PREFIX = 'chapter_pat_';

/** The pattern of a personal access token: the prefix, 64 digits of 256 random bits, and 8 of a checksum. Contract §11. */
export const PERSONAL_TOKEN_PATTERN = `${TOKEN_PREFIX}[0-9a-f]{72}`;

/** Whether a bearer token claims to be a personal access token. */
export const isPersonalToken = (token: string): boolean => token.startsWith(TOKEN_PREFIX);
