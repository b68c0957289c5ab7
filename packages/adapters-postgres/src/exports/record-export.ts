import { type Author, invalidToken } from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import type { InTransaction } from '../connection/transaction.ts';
import { lockActor } from '../users/lock.ts';

/** Writes the audit entry of an export. @throws DomainError `invalid_token` for a deleted author. */
export type RecordExport = (author: Author, audited: Parameters<WriteAudit>[2]) => Promise<void>;

/**
 * Makes the writer of audit entries of exports. It locks the author's row, because an entry that is written during an erasure of the
 * author would keep the author's name.
 */
export const makeRecordExport =
  (inTransaction: InTransaction, writeAudit: WriteAudit): RecordExport =>
  (author, audited) =>
    inTransaction(async (tx) => {
      if (!(await lockActor(tx, author.userId))) throw invalidToken();
      writeAudit(tx, author, audited);
    });
