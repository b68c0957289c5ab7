import type { Actor, AuditedAction, Author } from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { type InTransaction, rowsOf } from '../connection/transaction.ts';
import { lockActor } from '../users/lock.ts';

/**
 * Locks the author, calls `permit` with the author's present rights, and writes the audit entry of an export. Throws the
 * errors of `permit`; then no entry is written.
 */
export type RecordExport = (
  author: Author,
  audited: AuditedAction,
  permit: (actor: Actor | null) => void,
) => Promise<void>;

/**
 * Makes the writer of audit entries of exports. Its lock also excludes an erasure of the author: an entry that is written
 * during the erasure would keep the author's name.
 */
export const makeRecordExport =
  (inTransaction: InTransaction, writeAudit: WriteAudit): RecordExport =>
  (author, audited, permit) =>
    inTransaction(rowsOf(author, audited.targetId), async (tx) => {
      permit(await lockActor(tx, author.userId));
      writeAudit(tx, author, audited);
    });
