import { type Erasure, NO_TARGET, notFound, parseUuid, pruningAudit, userAudit } from '@chapter/domain/ports';
import type { WriteAudit } from '../audit/audit-writer.ts';
import type { RunTransaction } from '../connection/transaction.ts';
import { END_EPOCH } from '../schema/entry-numbers.ts';
import { endOneOrAll } from '../users/end-sessions.ts';
import { lockUser } from '../users/lock.ts';
import {
  DELETE_COUNTERS,
  DELETE_ISSUED_LINKS,
  DELETE_KEYS,
  EMPTY_RESPONSES,
  ERASE_ENTRIES,
  ERASE_USER,
  LAST_DIVISION,
  PRUNE,
} from './erasure-statements.ts';
import { findSubjects } from './personal-data.ts';

/**
 * Returns the statement that analyzes all tables, because the planner's statistics contain values of rows. It waits for sessions that analyze a table: they
 * may have sampled the user. PostgreSQL cancels an autovacuum that blocks it.
 */
const renewStatistics = async (): Promise<string> => {
  // Loaded by the first erasure, because a start does not need MikroORM, and before its transaction locks rows.
  const { entities } = await import('../schema/entities/index.ts');
  return `analyze ${entities.map(({ meta }) => meta.tableName).join(', ')}`;
};

const total = (...results: readonly (readonly (readonly [count: number])[])[]): number =>
  results.flat().reduce((sum, [count]) => sum + count, 0);

/**
 * Erases data in PostgreSQL. Works only as the owner of the tables. Every transaction that writes about a user, or as the
 * user, locks the user first. So it either ends before the erasure reads, or waits for the erasure and then finds no user.
 */
export const makeErasure = (runTransaction: RunTransaction, writeAudit: WriteAudit): Erasure => ({
  eraseUser: async (author, id, permit) => {
    const text = await renewStatistics();
    return runTransaction(async (tx) => {
      if (parseUuid(id) !== id) throw notFound();
      const locked = (await lockUser(tx, author, { id }))?.locked ?? null;
      permit(locked);
      const user = locked?.user ?? null;
      const [last] = await LAST_DIVISION.run(tx, { id });
      const { digests, names } = await findSubjects(tx, id, user);
      const erased = {
        sessions: await endOneOrAll(tx, id, null),
        auditEntries: total(await ERASE_ENTRIES.run(tx, { id })),
        storedResponses: total(await DELETE_KEYS.run(tx, { id, names }), await EMPTY_RESPONSES.run(tx, { id })),
        counters: total(await DELETE_COUNTERS.run(tx, { id, digests })),
      };
      if (!user && Object.values(erased).every((count) => count === 0)) throw notFound();
      await DELETE_ISSUED_LINKS.run(tx, { id });
      await ERASE_USER.run(tx, { id });
      const division = user?.division ?? { id: last?.[0] ?? NO_TARGET };
      writeAudit(tx, author, userAudit('eraseUser', { id, division }));
      await tx.query({ text }, []);
      return erased;
    });
  },

  pruneAudit: async (author, before) => {
    const text = await renewStatistics();
    return runTransaction(async (tx) => {
      const [[count, leavesGap] = [0, false]] = await PRUNE.run(tx, { before });
      if (leavesGap) await tx.query({ text: END_EPOCH }, []);
      writeAudit(tx, author, pruningAudit(before, count));
      await tx.query({ text }, []);
      return count;
    });
  },
});
