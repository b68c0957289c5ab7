import { isDomainError } from '@chapter/domain/ports';
import { sql } from 'kysely';
import { IDENTITY } from '../connection/known-cluster.ts';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import type { RunTransaction, Transaction } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';
import type { ReadFrom } from './read-page.ts';

/** A server that follows the primary. */
interface Replica {
  readonly name: string;
  readonly transactions: RunTransaction;
}

/** What a replica must have: the changes of a division, and those of the primary's cluster and timeline. */
interface Latest {
  readonly cluster: string;
  /** The highest id of a transaction that has changed the division. */
  readonly xid: string;
}

const latestBy = (column: 'division_id' | 'left_division_id', divisionId: unknown) =>
  sql`(select xid from audit_entry where ${sql.ref(column)} = ${divisionId}::uuid order by xid desc limit 1)`;

/** Each change of a division or of a member has an audit entry. After all of them were pruned, any transaction may have been one. */
const FIND_LATEST = defineStatement(
  'find-latest-change',
  (value: Parameters<{ divisionId: string }>) =>
    db.selectNoFrom([
      sql<string>`(select concat_ws('/', system, timeline) from (select ${sql.raw(IDENTITY)}) as server)`.as('cluster'),
      sql<string>`coalesce(
        greatest(${latestBy('division_id', value('divisionId'))}, ${latestBy('left_division_id', value('divisionId'))})::text::numeric,
        pg_snapshot_xmax(pg_current_snapshot())::text::numeric - 1)::text`.as('xid'),
    ]),
  { columns: ['cluster', 'xid'] },
);

/**
 * All transactions before `pg_snapshot_xmin` have ended, and the standby shows what they wrote. Their ids compare only within one
 * timeline of one cluster. A standby knows a new timeline from the next checkpoint on.
 */
const HAS_LATEST = defineStatement(
  'has-latest-change',
  (value: Parameters<Latest>) =>
    db.selectNoFrom(
      sql<boolean>`pg_is_in_recovery()
        and (select concat_ws('/', system_identifier, timeline_id) from pg_control_system(), pg_control_checkpoint()) = ${value('cluster')}
        and pg_snapshot_xmin(pg_current_snapshot())::text::numeric > ${value('xid')}::numeric`.as('has'),
    ),
  { columns: ['has'], isReadOnly: true },
);

/**
 * Makes the function that reads from the first replica, in turn, that has all changes, and from the primary if none has: each list
 * is exact, however much a replica lacks (docs/decisions/0032). A replica is asked and read in one transaction, because a proxy may
 * lead the next one to another server. One that fails counts as one that lacks changes. `reads` returns how many reads of divisions
 * each server has served, by its name or `primary`.
 */
export const readFromReplicas = (primary: Runner, replicas: readonly Replica[]) => {
  const reads: Record<string, number> = { primary: 0, ...Object.fromEntries(replicas.map(({ name }) => [name, 0])) };
  const count = (name: string): void => {
    reads[name] = (reads[name] ?? 0) + 1;
  };
  let turn = 0;

  const readReplica = async <T>(
    divisionId: string,
    read: (runner: Runner) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> => {
    const [[cluster, xid] = ['', '']] = await FIND_LATEST.run(primary, { divisionId });
    const readIn = async (tx: Transaction): Promise<{ readonly value: T } | undefined> => {
      const [[has] = [false]] = await HAS_LATEST.run(tx, { cluster, xid });
      return has ? { value: await read(tx) } : undefined;
    };
    turn += 1;
    turn %= replicas.length;
    for (const { name, transactions } of [...replicas.slice(turn), ...replicas.slice(0, turn)]) {
      try {
        const result = await transactions(readIn);
        if (!result) continue;
        count(name);
        return result;
      } catch (error) {
        if (isDomainError(error) && error.code !== 'unavailable') throw error;
      }
    }
    return undefined;
  };

  const readFrom: ReadFrom = async (divisionId, read) => {
    const result = divisionId === null ? undefined : await readReplica(divisionId, read);
    if (result) return result.value;
    if (divisionId !== null) count('primary');
    return read(primary);
  };
  return { readFrom, reads: (): Readonly<Record<string, number>> => ({ ...reads }) };
};
