import { isDomainError, NO_TARGET, type Timers } from '@chapter/domain/ports';
import { sql } from 'kysely';
import { batched } from '../connection/runner.ts';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { type RunTransaction, timers as systemTimers } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';
import type { ReadFrom } from './read-page.ts';

/** How long a list waits until a replica names the latest change, in milliseconds. */
const REPLICA_LIMIT_MS = 500;

/** The same for the primary: as long as the look-up may wait for a lock. A list from there would wait as long. */
const PRIMARY_LIMIT_MS = 3000;

/** Milliseconds between two lists that ask a server that was late or failed. */
const PAUSE_MS = 10_000;

interface Replica {
  readonly name: string;
  readonly transactions: RunTransaction;
}

const latestBy = (column: 'division_id' | 'left_division_id', divisionId: unknown) =>
  sql`(select id, xid from audit_entry where ${sql.ref(column)} = ${divisionId} order by xid desc, id desc limit 1)`;

/**
 * Selects the latest change of each division, by id, and whether all transactions up to it have ended. Each change of a
 * division or member has an audit entry. After a prune, its entry takes the place of those that it deleted.
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
 * Makes the function that asks a server, and gives up after `limitMs`. A server that was late or failed is asked by one list every
 * {@link PAUSE_MS}, and not by the others, until it is in time again. `ask` gets a function to call when the server has named the
 * latest change, which returns whether it is in time. Resolves to undefined if the server was not asked, or not in time.
 */
const askInTime = (limitMs: number, { now, start }: Timers) => {
  let isUnfit = false;
  let askedAt = 0;
  return async <T>(ask: (isInTime: () => boolean) => Promise<T>): Promise<T | undefined> => {
    if (isUnfit && now() - askedAt < PAUSE_MS) return undefined;
    askedAt = now();
    const { promise: givenUp, resolve } = Promise.withResolvers<undefined>();
    let state: 'waiting' | 'in time' | 'given up' = 'waiting';
    const giveUp = (): void => {
      if (state !== 'waiting') return;
      state = 'given up';
      isUnfit = true;
      resolve(undefined);
    };
    const stop = start(limitMs, giveUp);
    const isInTime = (): boolean => {
      if (state === 'waiting') {
        state = 'in time';
        isUnfit = false;
      }
      return state === 'in time';
    };
    try {
      return await Promise.race([ask(isInTime), givenUp]);
    } finally {
      stop();
      giveUp();
    }
  };
};

/**
 * Makes the function that reads from the first replica, in turn, that has the same changes of a division as the
 * primary, and from the primary if none has: lists are exact, however much a replica lacks (docs/decisions/0032). A
 * replica is asked and read in one transaction, because a proxy may lead the next one to another server. `reads`
 * returns how many reads of divisions each server has served, by its name or `primary`.
 */
export const readFromReplicas = (primary: Runner, replicas: readonly Replica[], timers: Timers = systemTimers) => {
  const reads: Record<string, number> = { primary: 0, ...Object.fromEntries(replicas.map(({ name }) => [name, 0])) };
  const served = (name: string): void => {
    reads[name] = (reads[name] ?? 0) + 1;
  };
  const servers = replicas.map((replica) => ({ ...replica, inTime: askInTime(REPLICA_LIMIT_MS, timers) }));
  const primaryInTime = askInTime(PRIMARY_LIMIT_MS, timers);
  const findOnPrimary = batched(
    (divisionIds: readonly string[]) => FIND_LATEST.run(primary, { divisionIds }),
    PRIMARY_LIMIT_MS,
  );
  let turn = 0;

  const readReplica = async <T>(divisionId: string, read: (runner: Runner) => Promise<T>) => {
    // Without the latest change, for instance while an import locks the entries, the primary still serves lists.
    const latest = await primaryInTime(async (isInTime) => {
      const found = await findOnPrimary(divisionId);
      isInTime();
      return found;
    }).catch(() => undefined);
    const [id, , isSettled] = latest ?? [];
    if (!isSettled) return undefined;
    turn = (turn + 1) % servers.length;
    for (const { inTime, name, transactions } of [...servers.slice(turn), ...servers.slice(0, turn)]) {
      let isReading = false;
      try {
        const result = await inTime((isInTime) =>
          transactions(async (tx) => {
            const [[idHere, isStandby, isSettledHere] = []] = await FIND_LATEST.run(tx, { divisionIds: [divisionId] });
            isReading = isInTime() && idHere === id && isStandby === true && isSettledHere === true;
            return isReading ? { value: await read(tx) } : undefined;
          }),
        );
        if (!result) continue;
        served(name);
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
    const value = await read(primary);
    if (divisionId !== null) served('primary');
    return value;
  };
  return { readFrom, reads: (): Readonly<Record<string, number>> => ({ ...reads }) };
};
