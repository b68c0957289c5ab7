import { urlParameters } from '../database-url/index.ts';
import { type ConnectionOptions, idleTimeoutOf, lockTimeoutOf, statementTimeoutOf } from './options.ts';

/** Planner settings that prefer index scans. The bounded cost of lists relies on them. */
const PLANNER = {
  // Short statements gain nothing from workers or compilation, and lists need rows in index order.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // Assume SSD: make the planner prefer index scans.
  random_page_cost: '1.1',
};

/** Settings for the format of dates and texts. PostgreSQL and poolers report changes of them. */
const FORMATS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'iso_8601',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
};

/**
 * Lifts the time limits for a long transaction, including limits that a role or a pooler sets. But one that may write may be
 * idle for only 5 minutes: requests would wait forever for the locks of a stopped command (Ctrl-Z). The limits apply again
 * after the transaction, because a transaction pooler then gives the session to other clients.
 */
export const LIFT_TIME_LIMITS = `select set_config(name, case
    when name like 'idle%' and not current_setting('transaction_read_only')::boolean then '5min' else '0' end, true)
  from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Lets a transaction wait for each lock without a limit. An import, an export or an erasure may wait for another one. */
export const WAIT_FOR_LOCKS = 'set local lock_timeout = 0';

/** Returns the settings in the `options` of a URL by name, such as `options=-c random_page_cost=4`. */
export const settingsInUrl = (url: string): ReadonlyMap<string, string> => {
  const options = urlParameters(url).get('options') ?? '';
  return new Map(
    Array.from(options.matchAll(/(?:^|\s)(?:-c\s*|--)(\w+)\s*=\s*(\S*)/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
};

/**
 * Returns the settings of every session. Planner settings in the URL's `options` override those of this package. They are
 * also set by statement, because a pooler may drop `options`.
 */
export const sessionSettings = (options: ConnectionOptions): Readonly<Record<string, string>> => {
  const given = settingsInUrl(options.url);
  return {
    ...FORMATS,
    ...Object.fromEntries(Object.entries(PLANNER).map(([name, value]) => [name, given.get(name) ?? value])),
    statement_timeout: String(statementTimeoutOf(options)),
    idle_in_transaction_session_timeout: String(idleTimeoutOf(options)),
    lock_timeout: String(lockTimeoutOf(options)),
  };
};
