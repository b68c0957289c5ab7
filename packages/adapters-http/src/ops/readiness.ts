import { setTimeout as sleep } from 'node:timers/promises';
import { type Blocker, CLOCK_TOLERANCE_MS, type DatabaseHealth, HEALTH_CHECK_TIMEOUT_MS } from '@chapter/domain/api';
import type { HttpLog } from '../server/request-telemetry.ts';

/** The ports of the readiness check. `log` gets the refused hosts and the blockers, each at most once a minute. */
export interface ReadinessPorts {
  readonly isStopping: () => boolean;
  /** Checks the database. If it throws or takes too long, the database counts as unusable. */
  readonly checkDatabase: () => Promise<DatabaseHealth>;
  /** The hosts of the database that are primaries and not used, each with the reason. */
  readonly refusedHosts: () => readonly string[];
  readonly areWorkersReady: () => boolean;
  readonly log: Pick<HttpLog, 'warn'>;
}

/** How long the result of a check is cached, so that many callers cause few checks. */
const CACHE_MS = 1000;
/** The minimum time between two log lines about one blocker or host. */
const WARNING_INTERVAL_MS = 60_000;

const describeClock = (differenceMs: number): string => {
  if (Math.abs(differenceMs) <= CLOCK_TOLERANCE_MS) return 'ok';
  const seconds = (Math.abs(differenceMs) / 1000).toFixed(1);
  return `the database's clock is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} the clock of this instance`;
};

const describeLocks = (blockers: readonly Blocker[]): string =>
  blockers.length === 0
    ? 'ok'
    : `requests wait for locks of database process ${blockers.map(({ pid }) => pid).join(', ')}`;

/** Makes a log of warnings, each at most once a minute for its key. */
const makeRepeatLog = (log: ReadinessPorts['log'], now: () => number) => {
  const loggedAt = new Map<string | number, number>();
  return (key: string | number, fields: object, message: string): void => {
    for (const [old, at] of loggedAt) if (now() - at >= WARNING_INTERVAL_MS) loggedAt.delete(old);
    if (loggedAt.has(key)) return;
    loggedAt.set(key, now());
    log.warn(fields, message);
  };
};

/** Returns the health, or null if the check fails or takes too long. */
const checkInTime = (check: ReadinessPorts['checkDatabase']): Promise<DatabaseHealth | null> =>
  Promise.race([check(), sleep(HEALTH_CHECK_TIMEOUT_MS, null, { ref: false })]).catch(() => null);

/**
 * Shares one check among concurrent callers and caches its result for a second. An unusable database is not cached, so
 * that its recovery is reported without delay.
 */
const makeSharedCheck = (check: ReadinessPorts['checkDatabase'], now: () => number) => {
  let running: Promise<DatabaseHealth | null> | undefined;
  let latest: { readonly health: DatabaseHealth; readonly at: number } | undefined;
  const start = async (): Promise<DatabaseHealth | null> => {
    const health = await checkInTime(check);
    latest = health?.reads ? { health, at: now() } : undefined;
    running = undefined;
    return health;
  };
  const current = async (): Promise<DatabaseHealth | null> => {
    if (latest && now() - latest.at < CACHE_MS) return latest.health;
    running ??= start();
    return running;
  };
  return { current, latest: (): DatabaseHealth | null => latest?.health ?? null };
};

/** Makes a function that reports whether the service can serve, and if not, why. `now` is in milliseconds. */
export const makeReadiness = (
  { areWorkersReady, checkDatabase, isStopping, log, refusedHosts }: ReadinessPorts,
  now: () => number = () => performance.now(),
) => {
  const warn = makeRepeatLog(log, now);
  const checkAndLog = async (): Promise<DatabaseHealth> => {
    for (const host of refusedHosts()) warn(host, { host }, 'a host of the database is not used');
    const health = await checkDatabase();
    for (const blocker of health.blockers) {
      warn(blocker.pid, { blocker }, 'requests wait for locks of a database process');
    }
    return health;
  };
  const check = makeSharedCheck(checkAndLog, now);
  return async () => {
    // During a shutdown, respond at once: the proxy must stop sending requests, and a check may take two seconds.
    const health = isStopping() ? check.latest() : await check.current();
    const reads = health?.reads ?? false;
    const workers = areWorkersReady();
    /** The body of `/readyz` (contract §8). */
    const body = {
      reads,
      writes: reads && (health?.writes ?? false),
      /** `ok`, `unknown` without a database, or a warning in one sentence. */
      clock: health ? describeClock(health.clockDifferenceMs) : 'unknown',
      /** `ok`, `unknown` without a database, or a sentence that names the processes for whose locks requests wait. */
      locks: health ? describeLocks(health.blockers) : 'unknown',
      /** `ok`, or a sentence with the hosts of the database that are primaries and not used. */
      hosts: refusedHosts().join('; ') || 'ok',
      workers,
    };
    return { isReady: reads && workers && !isStopping(), body };
  };
};
