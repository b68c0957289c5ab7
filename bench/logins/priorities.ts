import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { ServiceProcess } from '../../test-support/service-process.ts';
import { type Caller, type Flood, type FloodLoad, type Latency, latency, measureFlood } from './flood.ts';
import { guess } from './guess.ts';

/** How much lower the priority of the threads that hash could be, in steps of `nice`. */
const CANDIDATES = [0, 1, 2, 3, 5, 10];

/** What a priority comes to, with or without foreign load. */
export interface PriorityResult {
  readonly nice: number;
  /** Busy loops of other programs. */
  readonly loops: number;
  /** Logins one after the other, with nothing beside them. */
  readonly login: Latency;
  readonly flood: Flood;
}

/** Options of Node that make the service set this priority in place of its own. */
const optionsFor = (nice: number): string => {
  const program = `import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
const { setPriority } = os;
os.setPriority = (task) => setPriority(task, Math.min(19, os.getPriority() + ${nice}));
syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
};

const startLoops = (count: number): ChildProcess[] =>
  Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));

const endLoops = async (loops: readonly ChildProcess[]): Promise<void> => {
  for (const loop of loops) {
    const ended = once(loop, 'exit');
    loop.kill('SIGKILL');
    await ended;
  }
};

/** Measures every candidate on a service of its own, without foreign load and beside a busy loop per processor. */
export const measurePriorities = async (
  serve: (nodeOptions: string) => Promise<ServiceProcess>,
  caller: Caller,
  { logins, ...load }: FloodLoad & { readonly logins: number },
): Promise<readonly PriorityResult[]> => {
  const results: PriorityResult[] = [];
  for (const nice of CANDIDATES) {
    const service = await serve(optionsFor(nice));
    // The service sets the priority after its first hash.
    await guess(service.url, { username: 'absent', password: 'guess' });
    for (const count of [0, availableParallelism()]) {
      const loops = startLoops(count);
      try {
        const times: number[] = [];
        for (let at = 0; at < logins; at++) {
          times.push((await guess(service.url, { username: `absent-${at}`, password: 'guess' })).milliseconds);
        }
        const flood = await measureFlood(service.url, caller, load);
        results.push({ nice, loops: count, login: latency(times), flood });
      } finally {
        await endLoops(loops);
      }
    }
    await service.end();
    console.error(`nice +${nice} is measured`);
  }
  return results;
};
