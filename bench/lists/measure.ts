import type { Pool } from 'pg';
import { makePool } from '../../packages/adapters-postgres/src/connection/pool.ts';
import { runnerOn } from '../../packages/adapters-postgres/src/connection/runner.ts';
import { type ListRows, makeListRows } from '../../packages/adapters-postgres/src/lists/list-rows.ts';
import { quantile } from '../logins/told-apart.ts';
import type { Kind } from './kinds.ts';
import { kindsOf } from './pages.ts';
import type { Population } from './people.ts';

/** A filled database, ready to be asked. */
export interface Subject {
  readonly population: Population;
  readonly pool: Pool;
  readonly listRows: ListRows;
  readonly kinds: readonly Kind[];
}

/** How long pages of a kind took in a database, in milliseconds. */
export interface Measured {
  readonly population: Population;
  readonly p50: number;
  readonly p99: number;
}

/** How much is measured. */
export interface Effort {
  /** What comes before the rounds that count: pages get into memory, and the server settles on a plan. */
  readonly warmUps: number;
  readonly rounds: number;
  /** Milliseconds after which a database has been asked enough for a kind of page, if it was so for a few times. */
  readonly budget: number;
}

/** How many times are few. */
const FEW = 10;

/** Connects to a filled database. It is asked on one connection. */
export const openSubject = async (url: string, population: Population): Promise<Subject> => {
  const pool = makePool({ url, poolSize: 1, statementTimeout: 0 });
  return { population, pool, listRows: makeListRows(runnerOn(pool)), kinds: await kindsOf(pool, population.way) };
};

const timeOf = async ({ listRows }: Subject, kind: Kind): Promise<number> => {
  const began = performance.now();
  await kind.ask(listRows);
  return performance.now() - began;
};

/**
 * Asks each database that has the kind in turn for a page of it, so that a machine that is slow for a while is so for all of them.
 * One after the other, so that it is the time of a page and not of a queue.
 */
export const measureKind = async (
  subjects: readonly Subject[],
  at: number,
  { warmUps, rounds, budget }: Effort,
): Promise<readonly Measured[]> => {
  const asked = subjects.flatMap((subject) => {
    const kind = subject.kinds[at];
    return kind ? [{ subject, kind, spent: 0, times: [] as number[] }] : [];
  });
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const one of asked) {
      if (one.spent > budget && one.times.length >= FEW) continue;
      const time = await timeOf(one.subject, one.kind);
      one.spent += time;
      if (round >= warmUps) one.times.push(time);
    }
  }
  return asked.map(({ subject, times }) => ({
    population: subject.population,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  }));
};
