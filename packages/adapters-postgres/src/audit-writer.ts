import type { AuditEntry, Author, Clock, IdGenerator } from '@chapter/domain';
import { AuditEntryEntity } from './entities/audit-entry-entity.ts';
import type { Transaction } from './transaction.ts';

/** What an entry says beside when, who and under which id. */
type AuditedAction = Pick<AuditEntry, 'action' | 'targetType' | 'targetId' | 'divisionId' | 'changes'>;

/** Adds an entry to the unit of work, so that it is written with the change or not at all. */
export type WriteAudit = (tx: Transaction, author: Author, audited: AuditedAction) => void;

/** See {@link WriteAudit}. */
export const makeWriteAudit =
  ({ clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator }): WriteAudit =>
  ({ em }, author, audited) => {
    const { userId: authorId, name: authorName, requestId } = author;
    em.persist(
      em.create(AuditEntryEntity, { id: ids.next(), at: clock.now(), authorId, authorName, requestId, ...audited }),
    );
  };
