import { checkFields, missingFaults, refuseFaults, type SentFields } from '../../fields/field-check.ts';
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
import { authorizeFields } from '../../policy/authorize.ts';
import { asTarget } from '../../policy/rules.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommonPasswords } from '../../ports/common-passwords.ts';
import type { ConflictLimits } from '../../ports/conflict-limits.ts';
import type { CredentialStore } from '../../ports/credential-store.ts';
import type { LoginLimits } from '../../ports/login-limits.ts';
import type { PasswordHasher } from '../../ports/password-hasher.ts';
import { today } from './check-new-user.ts';
import { guessableFault, nameFault } from './guessable.ts';
import { verifyAttempt } from './verify-attempt.ts';

/**
 * Reads the input of a request, except its target. A use case calls it after authorization, so that a caller without
 * permission learns nothing from validation (contract §1). If it throws, the use case changes nothing.
 */
export type ReadInput<T> = () => T | Promise<T>;

/** Values to write, not yet checked. */
export interface SentRequest {
  readonly fields: SentFields;
  /** Faults that the schema of an adapter found; reported together with all others. */
  readonly faults?: readonly FieldFault[];
}

/** A user to create; with a key, repeated requests create the user only once. */
export interface SentCreation extends SentRequest {
  /** 1 to 255 visible ASCII characters, chosen by the caller. */
  readonly idempotencyKey?: string | undefined;
}

/** A change, and the revisions of the target to which it may be applied. */
export interface SentChanges extends SentRequest {
  /** The target must have one of these revisions; absent to accept any. */
  readonly revisions?: readonly Revision[] | undefined;
}

/**
 * Requires the stored revision to be one of those that the caller knows; undefined accepts any. RFC 9110, section 13.1.1.
 *
 * @throws DomainError `precondition_failed` if it is none of them.
 */
export const requireRevision = (stored: Revision, known: readonly Revision[] | undefined): void => {
  if (known && !known.includes(stored)) throw preconditionFailed();
};

const CONFLICTS: ReadonlySet<DomainErrorCode> = new Set(['username_taken', 'email_taken', 'name_taken']);

/**
 * Runs a write for an actor. If the write fails with a conflict, counts the conflict. See contract §7.
 *
 * @throws DomainError thrown by the write; `rate_limited` instead of a conflict if the limit is exceeded.
 */
export const countConflicts = async <T>(limits: ConflictLimits, actor: Actor, write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (isDomainError(error) && CONFLICTS.has(error.code)) await limits.count(actor.id);
    throw error;
  }
};

/** Ports of the check of a current password. */
export interface CurrentPasswordPorts {
  readonly credentials: CredentialStore;
  readonly hasher: PasswordHasher;
  readonly loginLimits: LoginLimits;
}

const incorrect: FieldFault = { field: 'currentPassword', code: 'incorrect', detail: 'is not the current password' };

/**
 * Checks the current password that a user gives. Failures count per user and network (contract §3). Returns the hash that
 * it was checked against, or the fault.
 *
 * @throws DomainError `field_forbidden`, `rate_limited`, `unavailable`.
 */
const checkCurrentPassword = async (
  { credentials, hasher, loginLimits }: CurrentPasswordPorts,
  actor: Actor,
  sent: SentFields,
  given: string,
): Promise<{ readonly hash: PasswordHash } | { readonly fault: FieldFault }> => {
  hasher.requireCapacity();
  const attempt = await loginLimits.begin({ userId: actor.id }, actor.origin?.network ?? '');
  const secret = givenPassword(given);
  const stored = secret === undefined ? null : await credentials.find(actor.id);
  const hash = stored?.passwordHash ?? null;
  const request = { isAbandoned: actor.origin?.isAbandoned };
  const matches = await verifyAttempt({ hasher, attempt }, secret ?? '', hash, request);
  if (!matches || hash === null) {
    // The caller may have moved since their fields were authorized. Forbidden fields come before values (contract §1).
    if (stored) authorizeFields(actor, asTarget(stored.user), sent);
    return { fault: incorrect };
  }
  await attempt.succeeded();
  return { hash };
};

/**
 * Requires the locked hash to be the one that the current password was checked against. Another request may have changed it.
 *
 * @throws DomainError `validation_failed`.
 */
export const requireUnchangedPassword = (checked: PasswordHash | undefined, stored: PasswordHash | null): void => {
  if (checked !== undefined && checked !== stored) throw validationFailed([incorrect]);
};

/**
 * Requires a new password to differ from the username and email that the locked user will have. Another request may have
 * changed them since the password was checked.
 *
 * @throws DomainError `validation_failed`.
 */
export const requirePasswordUnlikeNames = (password: string | undefined, { username, email }: User): void => {
  const weak = password === undefined ? undefined : nameFault(password, [username, email]);
  refuseFaults(weak ? [{ field: 'password', ...weak }] : []);
};

/** Ports of a change of a user. */
export interface UserChangePorts extends CurrentPasswordPorts {
  readonly commonPasswords: CommonPasswords;
  readonly clock: Clock;
  /** Minimum code points of a new password. */
  readonly passwordMinLength: number;
}

/** Checked changes, ready to write. */
export interface CheckedChanges {
  readonly changes: UserChanges;
  /** The new password, normalized. */
  readonly password: string | undefined;
  /** The hash that the current password was checked against; undefined if it was not required. */
  readonly checkedHash: PasswordHash | undefined;
}

/**
 * Returns a function that checks the changes sent for a user, including the current password of users who set a new
 * password for themselves.
 *
 * @throws DomainError `validation_failed` with all faults; `field_forbidden`, `rate_limited`, `unavailable`.
 */
export const makeCheckUserChanges = (ports: UserChangePorts) => {
  const { passwordMinLength } = ports;
  const checks = userChangeChecks({ today: () => today(ports.clock), passwordMinLength });
  return async (actor: Actor, user: User, sent: SentFields, found: readonly FieldFault[]): Promise<CheckedChanges> => {
    const { values, faults } = checkFields(checks, sent, { readOnly: USER_READ_ONLY, found });
    const { division: _, password, currentPassword, ...changes } = values;
    const allFaults = [...faults];
    const names = { ...user, ...changes };
    const weak =
      password === undefined
        ? undefined
        : guessableFault(password, ports.commonPasswords, [names.username, names.email]);
    if (weak) allFaults.push({ field: 'password', ...weak });
    const changesOwnPassword = actor.id === user.id && Object.hasOwn(sent, 'password');
    if (changesOwnPassword) allFaults.push(...missingFaults(sent, ['currentPassword']));
    const current =
      changesOwnPassword && currentPassword !== undefined
        ? await checkCurrentPassword(ports, actor, sent, currentPassword)
        : undefined;
    if (current && 'fault' in current) allFaults.push(current.fault);
    refuseFaults(allFaults);
    return { changes, password, checkedHash: current && 'hash' in current ? current.hash : undefined };
  };
};
