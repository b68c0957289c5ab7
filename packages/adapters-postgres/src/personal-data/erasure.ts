import { type Erasure, NO_TARGET, notFound, parseUuid, prunedEntries } from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import type { InTransaction, Transaction } from '../connection/transaction.ts';
import { entities } from '../schema/entities/index.ts';
import { leadershipOf, lockActorAndTarget } from '../users/lock.ts';
import type { EndSessions } from '../users/user-repository.ts';
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
import { findSubjects } from './subjects.ts';

/**
 * Analyzes all tables, because the planner's statistics contain values of rows. Waits for sessions that analyze a table: they
 * may have sampled the user. PostgreSQL cancels an autovacuum that blocks it.
 */
const RENEW_STATISTICS = `analyze ${entities.map(({ meta }) => meta.tableName).join(', ')}`;

type Lock = Awaited<ReturnType<typeof lockActorAndTarget>>;

const lockedUser = async (tx: Transaction, { actor, target }: Lock) =>
  target
    ? { actor, user: target.user, passwordHash: target.passwordHash, ...(await leadershipOf(tx, target.user)) }
    : null;

const total = (...results: readonly (readonly (readonly [count: number])[])[]): number =>
  results.flat().reduce((sum, [count]) => sum + count, 0);

/**
 * Erases data in PostgreSQL. Works only as the owner of the tables. Every transaction that writes about a user, or as the
 * user, locks the user first. So it either ends before the erasure reads, or waits for the erasure and then finds no user.
 */
export const makeErasure = (
  inTransaction: InTransaction,
  writeAudit: WriteAudit,
  endSessions: EndSessions,
): Erasure => ({
  eraseUser: (author, id, permit) =>
    inTransaction(async (tx) => {
      if (parseUuid(id) !== id) throw notFound();
      const locked = await lockedUser(tx, await lockActorAndTarget(tx, author.userId, id));
      permit(locked);
      const user = locked?.user ?? null;
      const [last] = await LAST_DIVISION.run(tx, { id });
      const { digests, names } = await findSubjects(tx, id, user);
      const erased = {
        // Also for a deleted user: deletions by earlier versions did not end the sessions of an external store.
        sessions: await endSessions.oneOrAll(tx, id, null),
        auditEntries: total(await ERASE_ENTRIES.run(tx, { id })),
        storedResponses: total(await DELETE_KEYS.run(tx, { id, names }), await EMPTY_RESPONSES.run(tx, { id })),
        counters: total(await DELETE_COUNTERS.run(tx, { id, digests })),
      };
      if (!user && Object.values(erased).every((count) => count === 0)) throw notFound();
      await DELETE_ISSUED_LINKS.run(tx, { id });
      await ERASE_USER.run(tx, { id });
      writeAudit(tx, author, {
        action: 'eraseUser',
        targetType: 'user',
        targetId: id,
        divisionId: user?.division.id ?? last?.[0] ?? NO_TARGET,
        changes: {},
      });
      await tx.query({ text: RENEW_STATISTICS }, []);
      return erased;
    }),

  pruneAudit: (author, before) =>
    inTransaction(async (tx) => {
      const count = total(await PRUNE.run(tx, { before }));
      writeAudit(tx, author, {
        action: 'pruneAudit',
        targetType: 'audit',
        targetId: NO_TARGET,
        divisionId: NO_TARGET,
        changes: prunedEntries(before, count),
      });
      await tx.query({ text: RENEW_STATISTICS }, []);
      return count;
    }),
});
