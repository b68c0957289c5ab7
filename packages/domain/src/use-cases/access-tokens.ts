import {
  checkFields,
  type FieldCheck,
  fault,
  flag,
  refuseFaults,
  type SentRequest,
  string,
  text,
} from '../fields/field-check.ts';
import { parseInstant } from '../model/dates.ts';
import { notFound } from '../model/errors.ts';
import { PERSONAL_TOKEN_RULES, type PersonalToken } from '../model/personal-token.ts';
import { addSeconds, authorOf, type Caller, type Instant, type PersonalTokenId, type UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import { decideTokenCreation, decideTokenEnd, requireTokenOwner } from '../writes/credential-writes.ts';
import type { ReadInput } from './steps/changes.ts';
import type { Ports } from './steps/ports.ts';

/** A new personal access token. Its secret `token` is shown once. */
export interface CreatedPersonalToken extends PersonalToken {
  /** The secret that the client sends. */
  readonly token: string;
}

// ISO 8601 with an offset; the first group is the day.
const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i;

const makeEndCheck = (now: Instant): FieldCheck<Instant> =>
  string((sent) => {
    const { maxDays } = PERSONAL_TOKEN_RULES;
    const value = parseInstant(sent, INSTANT);
    if (value === undefined) return fault('invalid_format', 'must be an instant such as 2026-01-31T12:00:00Z');
    const isInRange = value > now && value <= addSeconds(now, maxDays * 24 * 60 * 60);
    return isInRange ? { value } : fault('out_of_range', `must be in the future, at most ${maxDays} days from now`);
  });

/**
 * Creates a personal access token, with which a script acts as the user, and returns its secret. See contract §11.
 *
 * @throws DomainError like `authorize`; `invalid_token` if the session ends meanwhile; `validation_failed`, `too_many_tokens`;
 *   `forbidden` for an inactive user.
 */
export const makeCreateAccessToken =
  (ports: Pick<Ports, 'clock' | 'ids' | 'personalTokenFormat' | 'personalTokens' | 'users'>) =>
  async (caller: Caller, userId: UserId, readInput: ReadInput<SentRequest>): Promise<CreatedPersonalToken> => {
    const { clock, ids, personalTokenFormat, personalTokens, users } = ports;
    requireTokenOwner(authorizedUser(caller, 'createAccessToken', await users.find(userId)));
    const input = await readInput();
    const checks = { name: text(PERSONAL_TOKEN_RULES.name), expiresAt: makeEndCheck(clock.now()), readOnly: flag };
    const { faults, values } = checkFields<{ name: string; expiresAt: Instant; readOnly: boolean }>(checks, input, {
      required: ['name', 'expiresAt'],
    });
    refuseFaults(faults);
    const { expiresAt = '', name = '', readOnly: isReadOnly = false } = values;
    const { digest, token } = personalTokenFormat.issue();
    const created = { id: ids.next(), userId, name, digest, isReadOnly, expiresAt };
    const stored = await personalTokens.create(authorOf(caller), created, (locked) =>
      decideTokenCreation(caller, locked, created),
    );
    return { ...stored, token };
  };

/** Lists the personal access tokens of a user, newest first, without their secrets. @throws DomainError like `authorize`. */
export const makeListAccessTokens =
  ({ personalTokens, users }: Pick<Ports, 'personalTokens' | 'users'>) =>
  async (caller: Caller, userId: UserId): Promise<readonly PersonalToken[]> => {
    authorizedUser(caller, 'listAccessTokens', await users.find(userId));
    return personalTokens.list(userId);
  };

/** Ends a personal access token of a user. @throws DomainError like `authorize`; `not_found` if the user has no such token. */
export const makeEndAccessToken =
  ({ personalTokens, users }: Pick<Ports, 'personalTokens' | 'users'>) =>
  async (caller: Caller, userId: UserId, id: PersonalTokenId, readInput: ReadInput<void>): Promise<void> => {
    authorizedUser(caller, 'endAccessToken', await users.find(userId));
    if (!(await personalTokens.list(userId)).some((token) => token.id === id)) throw notFound();
    await readInput();
    await personalTokens.end(authorOf(caller), { userId, id }, (locked) => decideTokenEnd(caller, locked));
  };
