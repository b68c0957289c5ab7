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
import { PERSONAL_TOKEN_RULES, type PersonalToken } from '../model/personal-token.ts';
import { authorOf, type Caller, type Instant, type UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { PersonalTokenFormat, PersonalTokens } from '../ports/personal-tokens.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { decideTokenCreation, requireTokenOwner } from '../writes/credential-writes.ts';
import type { ReadInput } from './steps/changes.ts';
import { addSeconds } from './steps/session.ts';

/** A new personal access token. Its secret `token` is shown once. */
export interface CreatedPersonalToken extends PersonalToken {
  /** The secret that the client sends. */
  readonly token: string;
}

/** Ports of personal access tokens. */
export interface PersonalTokenPorts {
  readonly personalTokens: PersonalTokens;
  readonly personalTokenFormat: PersonalTokenFormat;
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
  ({
    clock,
    ids,
    personalTokenFormat,
    personalTokens,
    users,
  }: PersonalTokenPorts & { users: UserRepository; clock: Clock; ids: IdGenerator }) =>
  async (caller: Caller, userId: UserId, readInput: ReadInput<SentRequest>): Promise<CreatedPersonalToken> => {
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
