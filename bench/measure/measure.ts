import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadGenerator, LoadPlan, LoadResult } from '../load/load.ts';
import { cpuSecondsOf, memoryOf } from './processes.ts';
import type { RunningServer } from './server.ts';

/** One load on one server. */
export interface Measurement extends Omit<LoadResult, 'latencies'> {
  /** Seconds of CPU, of the server and of the database. */
  readonly serverCpu: number;
  readonly databaseCpu: number;
  /** Mebibytes that the server holds right after the load. */
  readonly memory: number;
}

/** Requests a second. */
export const perSecond = ({ requests, seconds }: Pick<LoadResult, 'requests' | 'seconds'>): number =>
  requests / seconds;

/** Seconds of CPU that server and database take for a request. */
export const cpuPerRequest = ({ serverCpu, databaseCpu, requests }: Measurement): number =>
  (serverCpu + databaseCpu) / requests;

/** Milliseconds of which a server that has nothing to do spends next to nothing. */
const MOMENT = 200;
/** Moments that a server may take to come to rest: a minute. */
const PATIENCE = 300;

/**
 * Waits until processes have done what an earlier load has left them, such as hashes for connections that are gone:
 * whoever they belong to, for it would take the processors from the server that is measured.
 */
export const settled = async (pids: readonly number[]): Promise<void> => {
  const used = (): number => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  let before = used();
  for (let moments = 0; moments < PATIENCE; moments++) {
    await sleep(MOMENT);
    const now = used();
    if (now - before <= MOMENT / 1000 / 10) return;
    before = now;
  }
  throw new Error('a server or the database does not come to rest');
};

/** Puts load on a server once all are at rest, and watches what it and the database use. */
export const measure = async (
  generator: LoadGenerator,
  server: RunningServer,
  databasePid: number,
  plan: Omit<LoadPlan, 'url'>,
  atRest: readonly number[],
): Promise<Measurement> => {
  await settled([databasePid, ...atRest]);
  const [server0, database0] = [cpuSecondsOf(server.pid), cpuSecondsOf(databasePid)];
  const { requests, seconds, p50, p99, errors } = await generator.run({ ...plan, url: server.url });
  return {
    requests,
    seconds,
    p50,
    p99,
    errors,
    serverCpu: cpuSecondsOf(server.pid) - server0,
    databaseCpu: cpuSecondsOf(databasePid) - database0,
    memory: memoryOf(server.pid),
  };
};
