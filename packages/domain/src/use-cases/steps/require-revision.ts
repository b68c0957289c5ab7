import { preconditionFailed } from '../../model/errors.ts';
import type { Revision } from '../../model/revision.ts';

/**
 * Holds a stored revision against those that the caller knows; undefined asks for nothing. RFC 9110, section 13.1.1.
 *
 * @throws DomainError `precondition_failed` when the stored one is none of them.
 */
export const requireRevision = (stored: Revision, known: readonly Revision[] | undefined): void => {
  if (known && !known.includes(stored)) throw preconditionFailed();
};
