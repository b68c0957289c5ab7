import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { spawn } from '../test-support/processes.ts';
import { sum } from './report/numbers.ts';

/** Clock ticks per second in `/proc`, on all common platforms of Linux. */
const TICKS = 100;
const SAMPLE_INTERVAL_MS = 20;

/** Reads a file about a process; empty when the process has ended. */
const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** Returns the seconds of CPU that a process and its descendants have used. */
export const cpuSecondsOf = (pid: number): number => {
  // The fields of proc_pid_stat(5) from the third one on; the second, in parentheses, may contain anything.
  const fields = read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  const children = read(pid, `task/${pid}/children`).match(/\d+/g) ?? [];
  return sum(fields.slice(11, 15).map(Number)) / TICKS + sum(children.map((child) => cpuSecondsOf(Number(child))));
};

/** Returns the resident memory of a process in MiB; 0 when it has ended. */
export const residentMemoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(read(pid, 'status'))?.[1] ?? 0) / 1024;

/** Samples the resident memory of a process. The returned function ends that, and returns the first and the greatest MiB. */
export const watchMemory = (pid: number) => {
  const first = residentMemoryOf(pid);
  let greatest = first;
  const sampling = setInterval(() => {
    greatest = Math.max(greatest, residentMemoryOf(pid));
  }, SAMPLE_INTERVAL_MS);
  return () => {
    clearInterval(sampling);
    return { first, greatest };
  };
};

/** Runs a command of `chapter`, and returns its seconds and its greatest memory in MiB. @throws Error if it fails. */
export const runChapter = async (args: readonly string[], url: string) => {
  const began = performance.now();
  const env = { ...process.env, DATABASE_URL: url, MIGRATE_ON_START: 'true' };
  const command = ['packages/app/src/cli/main.ts', ...args];
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const stopWatching = watchMemory(child.pid ?? 0);
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`chapter ${args.join(' ')} ended with status ${status}`);
  return { seconds: (performance.now() - began) / 1000, memory: stopWatching().greatest };
};
