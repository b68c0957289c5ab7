import { type ConnectionOptions, idleTimeoutOf, parametersOf, statementTimeoutOf } from './options.ts';

/** Settings that make the planner choose index scans for lists, which their limits rely on. */
const PLANNER = {
  // Short statements gain nothing from workers or compilation, and lists need rows in index order.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // Assume SSD: make the planner prefer index scans.
  random_page_cost: '1.1',
};

/** Settings that decide the form of dates and texts. PostgreSQL and poolers report their changes. */
const FORMATS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'iso_8601',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
};

/**
 * The statement with which a transaction that takes long lifts its time limits, also those of a role or a pooler. They
 * apply again after it: behind a transaction pooler, other clients use the session next.
 */
export const LIFT_TIME_LIMITS = `select set_config(name, '0', true) from pg_settings
  where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Returns the settings that an operator gives in the URL, with their values: `options=-c random_page_cost=4`. */
export const settingsInUrl = (url: string): ReadonlyMap<string, string> => {
  const options = parametersOf(url).get('options') ?? '';
  return new Map(
    Array.from(options.matchAll(/(?:^|\s)(?:-c\s*|--)(\w+)\s*=\s*(\S*)/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
};

/**
 * Returns the settings that every session must have. Planner settings in the URL's `options` have the operator's value,
 * which is set like the others because a pooler may drop `options`.
 */
export const sessionSettings = (options: ConnectionOptions): Readonly<Record<string, string>> => {
  const given = settingsInUrl(options.url);
  return {
    ...FORMATS,
    ...Object.fromEntries(Object.entries(PLANNER).map(([name, value]) => [name, given.get(name) ?? value])),
    statement_timeout: String(statementTimeoutOf(options)),
    idle_in_transaction_session_timeout: String(idleTimeoutOf(options)),
  };
};
