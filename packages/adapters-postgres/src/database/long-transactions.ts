import type { ConnectionOptions } from '../connection/options.ts';
import { closeOrm, makeOrm } from '../connection/orm.ts';
import { makePool } from '../connection/pool.ts';
import { LIFT_TIME_LIMITS } from '../connection/session-settings.ts';
import { type InTransaction, makeInTransaction } from '../connection/transaction.ts';
import { entities } from '../schema/entities/index.ts';

/** Makes transactions without time limits, each on its own connection. */
export const makeLongTransactions =
  (options: ConnectionOptions): InTransaction =>
  async (work) => {
    const pool = makePool({ ...options, poolSize: 1, allowsSilence: true });
    const orm = makeOrm(pool, { entities });
    const inTransaction = makeInTransaction(orm, pool);
    try {
      return await inTransaction(async (tx) => {
        await tx.query({ text: LIFT_TIME_LIMITS, isReadOnly: true }, []);
        return work(tx);
      });
    } finally {
      await closeOrm(orm, pool);
    }
  };
