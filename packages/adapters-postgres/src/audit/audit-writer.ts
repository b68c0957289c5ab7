import type { AuditedAction, Author, Clock, IdGenerator, Instant } from '@chapter/domain/ports';
import { defineStatement, type Parameters, pickParameters, type Runner } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { db, type Tables } from '../schema/tables.ts';

/** The columns of an audit entry, in the order in which they are written and read. */
export const AUDIT_COLUMNS = [
  'id',
  'at',
  'action',
  'author_id',
  'author_name',
  'request_id',
  'target_type',
  'target_id',
  'division_id',
  'left_division_id',
  'changes',
] as const;

const WRITE_AUDIT = defineStatement(
  'write-audit',
  (entry: Parameters<Pick<Tables['audit_entry'], (typeof AUDIT_COLUMNS)[number]>>) =>
    db.insertInto('audit_entry').values(pickParameters(entry, AUDIT_COLUMNS)),
);

/** Sends an audit entry in the transaction of the change. If the entry cannot be written, the transaction fails. */
export type WriteAudit = (tx: Transaction, author: Author, audited: AuditedAction) => void;

/** Writes an audit entry that belongs to no change, in a transaction of its own. */
export type RecordAction = (author: Author, audited: AuditedAction) => Promise<void>;

/** Returns the row of an audit entry. */
export const auditRow = (
  id: string,
  at: Instant,
  { userId, name, requestId }: Author,
  { action, targetType, targetId, divisionId, leftDivisionId, changes }: AuditedAction,
) => ({
  id,
  at,
  action,
  author_id: userId,
  author_name: name,
  request_id: requestId,
  target_type: targetType,
  target_id: targetId,
  division_id: divisionId,
  left_division_id: leftDivisionId ?? null,
  changes,
});

/** The sources of the ids and the times of entries. */
export interface EntrySources {
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Makes the writer of audit entries. It assigns id and time. */
export const makeWriteAudit =
  ({ clock, ids }: EntrySources): WriteAudit =>
  (tx, author, audited) =>
    WRITE_AUDIT.send(tx, auditRow(ids.next(), clock.now(), author, audited));

/** Makes the writer of entries that belong to no change. */
export const makeRecordAction =
  ({ clock, ids }: EntrySources, runner: Runner): RecordAction =>
  async (author, audited) => {
    await WRITE_AUDIT.run(runner, auditRow(ids.next(), clock.now(), author, audited));
  };
