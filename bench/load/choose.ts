import type { Settings } from '../settings.ts';
import { autocannonLoad } from './autocannon.ts';
import type { LoadGenerator } from './load.ts';

/**
 * What makes the load: what the settings name, else wrk where it is installed, else autocannon.
 *
 * @throws Error where wrk is asked for and not there, or asked for parts of a second, of which it knows none.
 */
export const chooseGenerator = (
  { generator, seconds }: Pick<Settings, 'generator' | 'seconds'>,
  wrk: LoadGenerator | undefined,
): LoadGenerator => {
  if (generator === 'wrk' && !wrk) throw new Error('wrk is not installed');
  if (generator === 'autocannon' || !wrk) return autocannonLoad;
  if (!Number.isInteger(seconds)) throw new Error(`BENCH_SECONDS must be whole with wrk, and not ${seconds}`);
  return wrk;
};
