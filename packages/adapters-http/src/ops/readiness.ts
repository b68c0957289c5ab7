/** What the database can do at present. */
export interface DatabaseHealth {
  /** Whether the service can work with it: it answers, is no standby, and its schema is not too old. */
  readonly reads: boolean;
  /** Whether it also takes writes: false while it is read-only or full. */
  readonly writes: boolean;
  /** Milliseconds by which the database's clock is ahead of the instance's; negative where it is behind. */
  readonly clockDifferenceMs: number;
}

/** What readiness depends on. */
export interface ReadinessPorts {
  /** Whether the service shuts down. */
  readonly isStopping: () => boolean;
  /** Checks the database. A check that throws or takes longer than 2 s means that the database cannot be used. */
  readonly checkDatabase: () => Promise<DatabaseHealth>;
  /** Whether every worker serves. */
  readonly areWorkersReady: () => boolean;
}

/** The body of `/readyz`. Contract, section 8. */
export interface Readiness {
  readonly reads: boolean;
  readonly writes: boolean;
  /** `ok`, `unknown` without a database, or a warning in one sentence. */
  readonly clock: string;
  readonly workers: boolean;
}

const CHECK_TIMEOUT_MS = 2000;
/** Milliseconds for which the result of a check is used again, so that many callers do not load the database. */
const REUSE_MS = 1000;
/** Milliseconds by which the clocks may differ. Contract, section 8. */
const CLOCK_TOLERANCE_MS = 5000;

const describeClock = (differenceMs: number): string => {
  if (Math.abs(differenceMs) <= CLOCK_TOLERANCE_MS) return 'ok';
  const seconds = (Math.abs(differenceMs) / 1000).toFixed(1);
  return `the database's clock is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} the clock of this instance`;
};

/** Returns the health, or null where there is none in time. */
const checkInTime = async (check: ReadinessPorts['checkDatabase']): Promise<DatabaseHealth | null> => {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, CHECK_TIMEOUT_MS, null);
  try {
    return await Promise.race([check(), tooLate]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Shares one check among the callers that wait, and reuses its result for a second. A database that cannot be used is
 * checked again at once, so that its return shows without delay.
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
    if (latest && now() - latest.at < REUSE_MS) return latest.health;
    running ??= start();
    return running;
  };
  return { current, latest: (): DatabaseHealth | null => latest?.health ?? null };
};

/** Returns a function that tells whether the service can serve, and why not. `now` is in milliseconds. */
export const makeReadiness = (
  { areWorkersReady, checkDatabase, isStopping }: ReadinessPorts,
  now: () => number = () => performance.now(),
) => {
  const check = makeSharedCheck(checkDatabase, now);
  return async (): Promise<{ readonly isReady: boolean; readonly body: Readiness }> => {
    // A proxy must learn of the shutdown at once, not after the check of a database that may be silent.
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
