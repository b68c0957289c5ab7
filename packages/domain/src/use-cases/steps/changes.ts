import { checkFields, missing, refuseFaults, type SentFields } from '../../fields/field-check.ts';
import { givenPassword } from '../../fields/password.ts';
import { USER_READ_ONLY, type UserChanges, userChangeChecks } from '../../fields/user-checks.ts';
import {
  type DomainErrorCode,
  type FieldFault,
  isDomainError,
  preconditionFailed,
  validationFailed,
} from '../../model/errors.ts';
import type { Revision } from '../../model/revision.ts';
import type { Actor, PasswordHash, User } from '../../model/user.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommonPasswords } from '../../ports/common-passwords.ts';
import type { ConflictLimits } from '../../ports/conflict-limits.ts';
import type { CredentialStore } from '../../ports/credential-store.ts';
import type { LoginLimits } from '../../ports/login-limits.ts';
import type { PasswordHasher } from '../../ports/password-hasher.ts';
import { today } from './check-new-user.ts';
import { guessable } from './guessable.ts';
import { verifyAttempt } from './verify-attempt.ts';

/**
 * Reads what a request carries beyond its target. A use case calls it once the caller is known to be allowed, so that a
 * caller without permission learns nothing from its validation (contract, section 1). If it throws, nothing happens.
 */
export type ReadInput<T> = () => T | Promise<T>;

/** What a caller asks to be written, before anything of it was checked. */
export interface SentRequest {
  readonly fields: SentFields;
  /** What an adapter's own schema found wrong; reported together with everything else. */
  readonly faults?: readonly FieldFault[];
}

/** A user to create; a key makes sure that it happens once. */
export interface SentCreation extends SentRequest {
  /** 1 to 255 visible ASCII characters, chosen by the caller. */
  readonly idempotencyKey?: string | undefined;
}

/** A change, and the state of the target that it is meant for. */
export interface SentChanges extends SentRequest {
  /** Any of these must be the target's; absent when any state will do. */
  readonly revisions?: readonly Revision[] | undefined;
}

/**
 * Holds a stored revision against those that the caller knows; undefined asks for nothing. RFC 9110, section 13.1.1.
 *
 * @throws DomainError `precondition_failed` when the stored one is none of them.
 */
export const requireRevision = (stored: Revision, known: readonly Revision[] | undefined): void => {
  if (known && !known.includes(stored)) throw preconditionFailed();
};

const CONFLICTS: ReadonlySet<DomainErrorCode> = new Set(['username_taken', 'email_taken', 'name_taken']);

/**
 * Runs a write for an actor and counts the conflict that it may end with. Contract, section 7.
 *
 * @throws DomainError what the write throws; `rate_limited` in place of a conflict past the limit.
 */
export const countConflicts = async <T>(limits: ConflictLimits, actor: Actor, write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (isDomainError(error) && CONFLICTS.has(error.code)) await limits.count(actor.id);
    throw error;
  }
};

/** What the check of a current password needs. */
export interface CurrentPasswordPorts {
  readonly credentials: CredentialStore;
  readonly hasher: PasswordHasher;
  readonly loginLimits: LoginLimits;
}

const incorrect: FieldFault = { field: 'currentPassword', code: 'incorrect', detail: 'is not the current password' };

/**
 * Checks what a user gives as their current password. Wrong ones count per user and network (contract, section 3).
 * Returns the hash that it was checked against, or the fault.
 *
 * @throws DomainError `rate_limited`, `unavailable`.
 */
const checkCurrentPassword = async (
  { credentials, hasher, loginLimits }: CurrentPasswordPorts,
  actor: Actor,
  user: User,
  given: string,
): Promise<{ readonly hash: PasswordHash } | { readonly fault: FieldFault }> => {
  hasher.requireRoom();
  const attempt = await loginLimits.begin({ userId: user.id }, actor.origin?.network ?? '');
  const secret = givenPassword(given);
  const hash = secret === undefined ? null : ((await credentials.find(user.id))?.passwordHash ?? null);
  const request = { isAbandoned: actor.origin?.isAbandoned };
  const matches = await verifyAttempt({ hasher, attempt }, secret ?? '', hash, request);
  if (!matches || hash === null) return { fault: incorrect };
  await attempt.succeeded();
  return { hash };
};

/**
 * Holds the hash that was checked against the one that is locked now: between the two, somebody may have set another.
 *
 * @throws DomainError `validation_failed`.
 */
export const requireUnchangedPassword = (checked: PasswordHash | undefined, stored: PasswordHash | null): void => {
  if (checked !== undefined && checked !== stored) throw validationFailed([incorrect]);
};

/** What the change of a user needs. */
export interface UserChangePorts extends CurrentPasswordPorts {
  readonly commonPasswords: CommonPasswords;
  readonly clock: Clock;
  /** Code points of a new password at least. */
  readonly passwordMinLength: number;
}

/** Changes that are ready to be written. */
export interface CheckedChanges {
  readonly changes: UserChanges;
  /** A new password in its normal form. */
  readonly password: string | undefined;
  /** The hash that the current password was checked against, where it had to be given. */
  readonly checkedHash: PasswordHash | undefined;
}

/**
 * Makes the check of the changes that an actor sends to a user, and of their current password where they set a new one
 * for themself.
 *
 * @throws DomainError `validation_failed` with all faults; `rate_limited`, `unavailable`.
 */
export const makeCheckUserChanges = (ports: UserChangePorts) => {
  const { passwordMinLength } = ports;
  const checks = userChangeChecks({ today: () => today(ports.clock), passwordMinLength });
  return async (actor: Actor, user: User, sent: SentFields, found: readonly FieldFault[]): Promise<CheckedChanges> => {
    const { values, faults } = checkFields(checks, sent, { readOnly: USER_READ_ONLY, found });
    const { division: _, password, currentPassword, ...changes } = values;
    const all = [...faults];
    const names = { ...user, ...changes };
    const weak =
      password === undefined ? undefined : guessable(password, ports.commonPasswords, [names.username, names.email]);
    if (weak) all.push({ field: 'password', ...weak });
    const own = actor.id === user.id && Object.hasOwn(sent, 'password');
    if (own) all.push(...missing(sent, ['currentPassword']));
    const current =
      own && currentPassword !== undefined
        ? await checkCurrentPassword(ports, actor, user, currentPassword)
        : undefined;
    if (current && 'fault' in current) all.push(current.fault);
    refuseFaults(all);
    return { changes, password, checkedHash: current && 'hash' in current ? current.hash : undefined };
  };
};
