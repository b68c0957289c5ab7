import { authorOf, type Caller, type Instant } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import type { Erasure } from '../ports/erasure.ts';

/** Removes the audit entries before an instant, and returns how many were removed. @throws DomainError like {@link authorize}. */
export const makePruneAudit =
  ({ erasure }: { erasure: Erasure }) =>
  async (caller: Caller, before: Instant): Promise<number> => {
    authorize(caller, 'pruneAudit', {});
    return erasure.pruneAudit(authorOf(caller), before);
  };
