import type { Clock } from '@chapter/domain/ports';
import type { Pool } from 'pg';

/** Makes the clock of a database follow the clock of a test. */
export interface DatabaseClock {
  /** The URL for connections whose `now()` is the time of the test's clock. */
  readonly url: string;
  /** Wraps a port so that the database's clock is set before each call. */
  readonly inTime: <Port extends object>(port: Port) => Port;
}

/**
 * Makes `now()` return the time of `clock` on connections to the resulting URL. A function `now` in `schema` precedes
 * PostgreSQL's own in the search path; new tables still go to `public`. The function reads a table, which is updated when
 * the clock has moved since the last call.
 */
export const useDatabaseClock = async (
  { url, sql }: { readonly url: string; readonly sql: Pool },
  clock: Clock,
  schema = 'test_clock',
): Promise<DatabaseClock> => {
  await sql.query(`
    create schema ${schema};
    grant usage on schema ${schema} to public;
    create table ${schema}.clock as select timestamptz '${clock.now()}' as at;
    grant select on ${schema}.clock to public;
    create function ${schema}.now() returns timestamptz language sql stable as 'select at from ${schema}.clock';
  `);
  let written = clock.now();
  let writing: Promise<void> | undefined;
  const write = async (before: Promise<void> | undefined, now: string): Promise<void> => {
    await before;
    await sql.query(`update ${schema}.clock set at = $1`, [now]);
  };
  const setTime = (): Promise<void> | undefined => {
    const now = clock.now();
    if (now === written) return writing;
    written = now;
    const started = write(writing, now).finally(() => {
      if (writing === started) writing = undefined;
    });
    writing = started;
    return started;
  };
  const urlWithClock = new URL(url);
  urlWithClock.searchParams.set('options', `-c search_path=public,${schema},pg_catalog`);
  return {
    url: urlWithClock.href,
    inTime: (port) =>
      new Proxy(port, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...args: readonly unknown[]): unknown => {
            const call = (): unknown => Reflect.apply(value, target, args);
            const setting = setTime();
            return setting ? setting.then(call) : call();
          };
        },
      }),
  };
};
