import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadGenerator, LoadPlan } from '../load/load.ts';
import { cpuSecondsOf, memoryOf } from './processes.ts';
import type { RunningServer } from './server.ts';

/** One load on one server. */
export interface Measurement {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
  /** Seconds of CPU, of the server and of the database. */
  readonly serverCpu: number;
  readonly databaseCpu: number;
  /** Mebibytes that the server holds right after the load. */
  readonly memory: number;
}

/** Milliseconds of which a server that has nothing to do spends next to nothing. */
const MOMENT = 200;

/** Waits until a server has done what an earlier load has left it, such as hashes for connections that are gone. */
const settled = async (server: RunningServer): Promise<void> => {
  for (let before = cpuSecondsOf(server.pid); ; ) {
    await sleep(MOMENT);
    const now = cpuSecondsOf(server.pid);
    if (now - before <= MOMENT / 1000 / 10) return;
    before = now;
  }
};

/** Puts load on a server and watches what it and the database use. */
export const measure = async (
  generator: LoadGenerator,
  server: RunningServer,
  databasePid: number,
  plan: Omit<LoadPlan, 'url'>,
): Promise<Measurement> => {
  await settled(server);
  const [server0, database0] = [cpuSecondsOf(server.pid), cpuSecondsOf(databasePid)];
  const result = await generator.run({ ...plan, url: server.url });
  return {
    ...result,
    serverCpu: cpuSecondsOf(server.pid) - server0,
    databaseCpu: cpuSecondsOf(databasePid) - database0,
    memory: memoryOf(server.pid, 'VmRSS'),
  };
};
