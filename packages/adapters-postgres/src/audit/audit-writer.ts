import type { AuditEntry, Author, Clock, IdGenerator } from '@chapter/domain';
import type { Transaction } from '../connection/transaction.ts';

const INSERT = {
  name: 'write-audit',
  text: `insert into audit_entry
      (id, at, action, author_id, author_name, request_id, target_type, target_id, division_id, changes)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};

/** What an entry says beside when, who and under which id. */
type AuditedAction = Pick<AuditEntry, 'action' | 'targetType' | 'targetId' | 'divisionId' | 'changes'>;

/** Sends an entry along in the transaction of the change, which fails where it cannot be written. */
export type WriteAudit = (tx: Transaction, author: Author, audited: AuditedAction) => void;

/** See {@link WriteAudit}. */
export const makeWriteAudit =
  ({ clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator }): WriteAudit =>
  (tx, { userId, name, requestId }, { action, targetType, targetId, divisionId, changes }) => {
    const target = [targetType, targetId, divisionId];
    tx.send(INSERT, [ids.next(), clock.now(), action, userId, name, requestId, ...target, JSON.stringify(changes)]);
  };
