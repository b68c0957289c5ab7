import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;

/** Returns the microseconds of CPU time that this thread has used. */
const threadCpu = (): number => {
  // Linux adds the current time slice to a thread's count only when the process's CPU usage is read.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

type Run = () => Promise<unknown> | void;

/** Returns the mean CPU time of this thread per run, in microseconds. Repeats short runs for `minMicroseconds`. */
const cpuOf = async (run: Run, minMicroseconds: number): Promise<number> => {
  // Otherwise every long run could include a collection that many short ones do not include.
  collectGarbage({ type: 'minor' });
  const start = threadCpu();
  for (let runs = 1; ; runs++) {
    await run();
    const used = threadCpu() - start;
    if (used >= minMicroseconds) return used / runs;
  }
};

/** Minimum duration of one measurement in microseconds: shorter runs are repeated. */
const MEASUREMENT_MICROSECONDS = 1000;

/** Minimum number of measurements of each size: an interruption can make one of them several times as long. */
const MIN_ROUNDS = 3;

/** Above this growth, both sizes are measured again: warm-up or garbage collection may have caused the difference. */
const SUSPICIOUS_GROWTH = 2.5;

/** Microseconds after which no more measurements are made. */
const BUDGET_MICROSECONDS = 300_000;

/**
 * Returns the ratio of this thread's CPU time for `large` to that for `small`: about 2 for linear work on twice the input,
 * about 4 for quadratic work. Measures both several times, more often if the ratio looks superlinear, and takes the
 * minimum of each.
 */
export const cpuGrowth = async (small: Run, large: Run): Promise<number> => {
  const start = threadCpu();
  let [smallMin, largeMin] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let rounds = 0;
  do {
    rounds += 1;
    smallMin = Math.min(smallMin, await cpuOf(small, MEASUREMENT_MICROSECONDS));
    largeMin = Math.min(largeMin, await cpuOf(large, MEASUREMENT_MICROSECONDS));
  } while (
    rounds < MIN_ROUNDS ||
    (largeMin / smallMin > SUSPICIOUS_GROWTH && threadCpu() - start < BUDGET_MICROSECONDS)
  );
  return largeMin / smallMin;
};
