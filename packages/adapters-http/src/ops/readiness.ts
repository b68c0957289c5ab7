import { type DatabaseHealth, HEALTH_CHECK_TIMEOUT_MS } from '@chapter/domain';

/** The ports of the readiness check. */
export interface ReadinessPorts {
  /** Whether the service is shutting down. */
  readonly isStopping: () => boolean;
  /** Checks the database. If it throws or takes too long, the database counts as unusable. */
  readonly checkDatabase: () => Promise<DatabaseHealth>;
  /** Whether all workers serve requests. */
  readonly areWorkersReady: () => boolean;
}

/** The body of `/readyz` (contract §8). */
export interface Readiness {
  readonly reads: boolean;
  readonly writes: boolean;
  /** `ok`, `unknown` without a database, or a warning in one sentence. */
  readonly clock: string;
  readonly workers: boolean;
}

/** How long the result of a check is cached, so that many callers cause few checks. */
const CACHE_MS = 1000;
/** The accepted difference between the clocks (contract §8). */
const CLOCK_TOLERANCE_MS = 5000;

const describeClock = (differenceMs: number): string => {
  if (Math.abs(differenceMs) <= CLOCK_TOLERANCE_MS) return 'ok';
  const seconds = (Math.abs(differenceMs) / 1000).toFixed(1);
  return `the database's clock is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} the clock of this instance`;
};

/** Returns the health, or null if the check fails or takes too long. */
const checkInTime = async (check: ReadinessPorts['checkDatabase']): Promise<DatabaseHealth | null> => {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, HEALTH_CHECK_TIMEOUT_MS, null);
  try {
    return await Promise.race([check(), tooLate]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Shares one check among concurrent callers and caches its result for a second. An unusable database is not cached, so that
 * its recovery is reported without delay.
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
  { areWorkersReady, checkDatabase, isStopping }: ReadinessPorts,
  now: () => number = () => performance.now(),
) => {
  const check = makeSharedCheck(checkDatabase, now);
  return async (): Promise<{ readonly isReady: boolean; readonly body: Readiness }> => {
    // During a shutdown, respond at once: the proxy must stop sending requests, and a check may take two seconds.
    const health = isStopping() ? check.latest() : await check.current();
    const reads = health?.reads ?? false;
    const workers = areWorkersReady();
    const body: Readiness = {
      reads,
      writes: reads && (health?.writes ?? false),
      clock: health ? describeClock(health.clockDifferenceMs) : 'unknown',
      workers,
    };
    return { isReady: reads && workers && !isStopping(), body };
  };
};
