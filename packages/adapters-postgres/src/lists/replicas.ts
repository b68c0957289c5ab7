import { isDomainError, NO_TARGET } from '@chapter/domain/ports';
import { sql } from 'kysely';
import { batched } from '../connection/runner.ts';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import type { RunTransaction } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';
import type { ReadFrom } from './read-page.ts';

/** How long a list waits until a server names the latest change, in milliseconds. */
const LATE_AFTER_MS = 500;

/** How long a look-up on the primary may take before the next one starts, in milliseconds: as long as it may wait for a lock. */
const LOOK_UP_LIMIT_MS = 3000;

/** A server that follows the primary. */
interface Replica {
  readonly name: string;
  /** Runs transactions that read one snapshot. */
  readonly transactions: RunTransaction;
}

const latestBy = (column: 'division_id' | 'left_division_id', divisionId: unknown) =>
  sql`(select id, xid from audit_entry where ${sql.ref(column)} = ${divisionId} order by xid desc, id desc limit 1)`;

/**
 * Selects the latest change of each division, in the order of the ids, and whether all transactions up to it have ended. Each change of a
 * division or of a member has an audit entry. After a prune, the entry of the prune takes the place of those that it deleted.
 */
const FIND_LATEST = defineStatement(
  'find-latest-changes',
  (value: Parameters<{ divisionIds: readonly string[] }>) =>
    db
      .selectFrom(
        sql<{ id: string; is_standby: boolean; is_settled: boolean }>`(
          select entry.id, pg_is_in_recovery() as is_standby, pg_snapshot_xmin(pg_current_snapshot()) > xid as is_settled
            from unnest(${value('divisionIds')}::uuid[]) with ordinality as division (id, place)
            left join lateral (
              select * from (${latestBy('division_id', sql`division.id`)}
                union all ${latestBy('left_division_id', sql`division.id`)}
                union all ${latestBy('division_id', sql.lit(NO_TARGET))}) as entries
               order by xid desc, id desc limit 1) as entry on true
           order by place)`.as('latest'),
      )
      .select(['id', 'is_standby', 'is_settled']),
  { columns: ['id', 'is_standby', 'is_settled'], isReadOnly: true },
);

/**
 * Makes the function that reads from the first replica, in turn, that has the same changes of a division as the primary, and from the
 * primary if none has: lists are exact, however much a replica lacks (docs/decisions/0032). A replica is asked and read in one
 * transaction, because a proxy may lead the next one to another server. `reads` returns how many reads of divisions each server has
 * served, by its name or `primary`.
 */
export const readFromReplicas = (primary: Runner, replicas: readonly Replica[]) => {
  const reads: Record<string, number> = { primary: 0, ...Object.fromEntries(replicas.map(({ name }) => [name, 0])) };
  const late = new Set<string>();
  let turn = 0;

  /**
   * Asks a server, unless it is late for another list. Resolves to undefined if it is late for this one. `ask` gets a function to call
   * when the server has named the latest change, which returns whether it did so in time.
   */
  const inTime = <T>(name: string, ask: (isInTime: () => boolean) => Promise<T>): Promise<T | undefined> => {
    if (late.has(name)) return Promise.resolve(undefined);
    const { promise: lateness, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      late.add(name);
      resolve(undefined);
    }, LATE_AFTER_MS);
    const asked = ask(() => {
      clearTimeout(timer);
      return !late.has(name);
    }).finally(() => {
      clearTimeout(timer);
      late.delete(name);
    });
    return Promise.race([asked, lateness]);
  };

  const findOnPrimary = batched(
    (divisionIds: readonly string[]) => FIND_LATEST.run(primary, { divisionIds }),
    LOOK_UP_LIMIT_MS,
  );

  const readReplica = async <T>(
    divisionId: string,
    read: (runner: Runner) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> => {
    // Without the latest change, for instance while an import locks the entries, the primary still serves lists.
    const latest = await inTime('primary', () => findOnPrimary(divisionId)).catch(() => undefined);
    const [id, , isSettled] = latest ?? [];
    if (!isSettled) return undefined;
    turn = (turn + 1) % replicas.length;
    for (const { name, transactions } of [...replicas.slice(turn), ...replicas.slice(0, turn)]) {
      let isReading = false;
      try {
        const result = await inTime(name, (isInTime) =>
          transactions(async (tx) => {
            const [[idHere, isStandby, isSettledHere] = []] = await FIND_LATEST.run(tx, { divisionIds: [divisionId] });
            isReading = isInTime() && idHere === id && isStandby === true && isSettledHere === true;
            return isReading ? { value: await read(tx) } : undefined;
          }),
        );
        if (!result) continue;
        reads[name] = (reads[name] ?? 0) + 1;
        return result;
      } catch (error) {
        if (isDomainError(error) && error.code !== 'unavailable') throw error;
        // A list that takes too long on one replica is not repeated on all others.
        if (isReading) return undefined;
      }
    }
    return undefined;
  };

  const readFrom: ReadFrom = async (divisionId, read) => {
    const result = divisionId === null ? undefined : await readReplica(divisionId, read);
    if (result) return result.value;
    if (divisionId !== null) reads['primary'] = (reads['primary'] ?? 0) + 1;
    return read(primary);
  };
  return { readFrom, reads: (): Readonly<Record<string, number>> => ({ ...reads }) };
};
