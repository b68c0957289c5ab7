import { type DivisionId, type DivisionReference, notFound, parseUuid } from '@chapter/domain';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { queued, sharedLock } from '../schema/advisory-locks.ts';

const LOCK_FOR_MEMBER = defineStatement(
  'lock-division-of-member',
  (value: Parameters<{ id: DivisionId }>) =>
    queued(sharedLock('division', value('id')))
      .selectFrom(['queued', 'division as d'])
      .select(['d.name', 'd.name_version'])
      .where('d.id', '=', value('id'))
      .forKeyShare('d'),
  { columns: ['name', 'name_version'], isReadOnly: true },
);

/** A division that a user joins, and the version of its name. */
interface JoinedDivision {
  readonly division: DivisionReference;
  readonly nameVersion: number;
}

/**
 * Locks the division that a user joins against its deletion and against changes of its name.
 *
 * @throws DomainError `not_found`.
 */
export const lockDivisionOfMember = async (tx: Transaction, id: DivisionId): Promise<JoinedDivision> => {
  const [row] = parseUuid(id) === undefined ? [] : await LOCK_FOR_MEMBER.run(tx, { id });
  if (!row) throw notFound();
  const [name, nameVersion] = row;
  return { division: { id, name }, nameVersion };
};
