/** Returns the microseconds of CPU time that this thread has used. */
export const threadCpu = (): number => {
  // Linux counts a thread's present time slice only once it is asked for the whole process.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

type Run = () => Promise<unknown> | void;

/** Returns how many microseconds of this thread's CPU one run takes, as the mean of runs that take `atLeast` together. */
const cpuOf = async (run: Run, atLeast: number): Promise<number> => {
  const start = threadCpu();
  for (let runs = 1; ; runs++) {
    await run();
    const used = threadCpu() - start;
    if (used >= atLeast) return used / runs;
  }
};

/** Microseconds of one measurement: short runs are repeated until they take as long. */
const MEASUREMENT_MICROSECONDS = 1000;

/** Measurements of each at least: an interruption may make one of them several times as long. */
const MIN_ROUNDS = 3;

/** Growth from which on a pair is measured again: the first runs, or garbage collection, may have made the difference. */
const SUSPICIOUS_GROWTH = 2.5;

/** Microseconds after which what was measured counts. */
const BUDGET_MICROSECONDS = 300_000;

/**
 * Returns how many times as much CPU time of this thread `large` takes as `small`: about 2 for linear work on twice the
 * input, about 4 for quadratic work. Both are measured several times, more often where it looks superlinear, and the least
 * of each one's times counts.
 */
export const cpuGrowth = async (small: Run, large: Run): Promise<number> => {
  const start = threadCpu();
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let rounds = 0;
  do {
    rounds += 1;
    least = Math.min(least, await cpuOf(small, MEASUREMENT_MICROSECONDS));
    most = Math.min(most, await cpuOf(large, MEASUREMENT_MICROSECONDS));
  } while (rounds < MIN_ROUNDS || (most / least > SUSPICIOUS_GROWTH && threadCpu() - start < BUDGET_MICROSECONDS));
  return most / least;
};
