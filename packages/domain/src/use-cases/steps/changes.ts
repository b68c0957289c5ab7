import type { SentRequest } from '../../fields/field-check.ts';
import { type DomainErrorCode, isDomainError } from '../../model/errors.ts';
import type { Conditional } from '../../model/revision.ts';
import { type CalendarDate, type Caller, isOperator } from '../../model/user.ts';
import type { ConflictLimits } from '../../ports/conflict-limits.ts';
import type { HashRequest } from '../../ports/passwords.ts';
import type { Clock } from '../../ports/system.ts';
import type { Forceable } from '../../writes/user-writes.ts';

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
export interface SentChanges extends SentRequest, Forceable, Conditional {}

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

/** Returns the current day in UTC. */
export const today = (clock: Clock): CalendarDate => clock.now().slice(0, 10);
