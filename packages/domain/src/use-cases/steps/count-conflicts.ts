import { type DomainErrorCode, isDomainError } from '../../model/errors.ts';
import type { Actor } from '../../model/user.ts';
import type { ConflictLimits } from '../../ports/conflict-limits.ts';

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
