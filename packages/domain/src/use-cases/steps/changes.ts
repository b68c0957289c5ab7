import { checkFields, refuseFaults, type SentFields, type SentRequest } from '../../fields/field-check.ts';
import { givenPassword } from '../../fields/password.ts';
import { checksFor, USER_READ_ONLY, userChangeChecks } from '../../fields/user-fields.ts';
import { type DomainErrorCode, type FieldFault, isDomainError } from '../../model/errors.ts';
import type { Revision } from '../../model/revision.ts';
import { type Actor, type Caller, isOperator, type PasswordHash, type User } from '../../model/user.ts';
import { authorizeFields } from '../../policy/fields.ts';
import { asTarget } from '../../policy/targets.ts';
import type { ConflictLimits } from '../../ports/conflict-limits.ts';
import type { HashRequest } from '../../ports/passwords.ts';
import { INCORRECT_PASSWORD } from '../../writes/rules.ts';
import type { Forceable } from '../../writes/user-writes.ts';
import { today } from './check-new-user.ts';
import { guessableFaults, verifyAttempt } from './passwords.ts';
import type { Ports } from './ports.ts';

/**
 * Reads the input of a request, except its target. A use case calls it after authorization, so that a caller without
 * permission learns nothing from validation (contract §1). If it throws, the use case changes nothing.
 */
export type ReadInput<T> = () => T | Promise<T>;

/** A user to create; with a key, repeated requests create the user only once. */
export interface SentCreation extends SentRequest {
  /** 1 to 255 visible ASCII characters, chosen by the caller. */
  readonly idempotencyKey?: string | undefined;
}

/** A change, and the revisions of the target to which it may be applied. */
export interface SentChanges extends SentRequest, Forceable {
  /** The target must have one of these revisions; absent to accept any. */
  readonly revisions?: readonly Revision[] | undefined;
}

const CONFLICTS: ReadonlySet<DomainErrorCode> = new Set(['username_taken', 'email_taken', 'name_taken']);

/**
 * Runs a write for a caller. If the write of a user fails with a conflict, counts the conflict. See contract §7.
 *
 * @throws DomainError thrown by the write; `rate_limited` instead of a conflict if the limit is exceeded.
 */
export const countConflicts = async <T>(
  limits: ConflictLimits,
  caller: Caller,
  write: () => Promise<T>,
): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (!isOperator(caller) && isDomainError(error) && CONFLICTS.has(error.code)) await limits.count(caller.id);
    throw error;
  }
};

/** Returns the request for a hash that a caller needs. */
export const hashRequestOf = (caller: Caller): HashRequest => {
  if (isOperator(caller)) return { share: ['operator'] };
  const { id, origin } = caller;
  return { isAbandoned: origin?.isAbandoned, pause: origin?.pause, share: ['callers', id] };
};

/**
 * Checks the current password that a user gives. Failures count per user and network (contract §3). Returns the hash that
 * it was checked against, or the fault.
 *
 * @throws DomainError `field_forbidden`, `rate_limited`, `unavailable`.
 */
const checkCurrentPassword = async (
  { credentials, hasher, loginLimits }: Pick<Ports, 'credentials' | 'hasher' | 'loginLimits'>,
  actor: Actor,
  sent: SentFields,
  given: string,
): Promise<{ readonly hash: PasswordHash } | { readonly fault: FieldFault }> => {
  const request = hashRequestOf(actor);
  hasher.requireCapacity(request.share);
  const attempt = await loginLimits.begin({ userId: actor.id }, actor.origin?.network ?? '');
  const secret = givenPassword(given);
  const stored = secret === undefined ? null : await credentials.find(actor.id);
  const hash = stored?.passwordHash ?? null;
  const matches = await verifyAttempt({ hasher, attempt }, secret ?? '', hash, request);
  if (!matches || hash === null) {
    // The caller may have moved since their fields were authorized. Forbidden fields come before values (contract §1).
    if (stored) authorizeFields(actor, asTarget(stored.user), sent);
    return { fault: INCORRECT_PASSWORD };
  }
  await attempt.succeeded();
  return { hash };
};

/** What the check of a change of a user needs. */
export type UserChangePorts = Pick<
  Ports,
  'credentials' | 'hasher' | 'loginLimits' | 'commonPasswords' | 'clock' | 'passwordMinLength'
>;

/**
 * Returns a function that checks the changes sent for a user, including the current password of users who set a new
 * password for themselves. It returns the changes, the new password, normalized, and the hash that the current password was
 * checked against, which is undefined if it was not required.
 *
 * @throws DomainError `validation_failed` with all faults; `field_forbidden`, `rate_limited`, `unavailable`.
 */
export const makeCheckUserChanges = (ports: UserChangePorts) => {
  const { passwordMinLength } = ports;
  const all = userChangeChecks({ today: () => today(ports.clock), passwordMinLength });
  const checks = { operator: checksFor(true, all), user: checksFor(false, all) };
  return async (caller: Caller, user: User, sent: SentRequest) => {
    // A user who sets their own password.
    const self =
      !isOperator(caller) && caller.id === user.id && Object.hasOwn(sent.fields, 'password') ? caller : undefined;
    const { values, faults } = checkFields(isOperator(caller) ? checks.operator : checks.user, sent, {
      readOnly: USER_READ_ONLY,
      required: self ? ['currentPassword'] : [],
    });
    const { division: _, password, currentPassword, ...changes } = values;
    const { username, email } = { ...user, ...changes };
    const current =
      self && currentPassword !== undefined
        ? await checkCurrentPassword(ports, self, sent.fields, currentPassword)
        : undefined;
    refuseFaults([
      ...faults,
      ...guessableFaults(password, ports.commonPasswords, [username, email]),
      ...(current && 'fault' in current ? [current.fault] : []),
    ]);
    return { changes, password, checkedHash: current && 'hash' in current ? current.hash : undefined };
  };
};
