import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in `/proc`, on all common platforms of Linux. */
const TICKS = 100;

/** Reads a file about a process; empty when the process has ended. */
const read = (pid: number, file: 'stat' | 'status'): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** The fields of proc_pid_stat(5) from the third one on; the second, in parentheses, may contain anything. */
const fieldsOf = (pid: number): readonly number[] =>
  read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);

/** Returns the parent of a process. */
export const parentOf = (pid: number): number => fieldsOf(pid)[1] ?? 0;

/** Returns a process and all its descendants. */
const treeOf = (root: number): readonly number[] => {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]));
  const isInTree = (pid: number | undefined): boolean => pid === root || (!!pid && isInTree(parents.get(pid)));
  return pids.filter(isInTree);
};

/** Returns the seconds of CPU that a process and its descendants have used. */
export const cpuSecondsOf = (root: number): number =>
  treeOf(root)
    .flatMap((pid) => fieldsOf(pid).slice(11, 15))
    .reduce((total, ticks) => total + ticks, 0) / TICKS;

/** Returns the kibibytes in a line of proc_pid_status(5); 0 when the process has ended. */
export const kibibytesOf = (pid: number, line: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(read(pid, 'status'))?.[1] ?? 0);
