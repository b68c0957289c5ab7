import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in `/proc`: what Linux gives user programs on every usual platform. */
const TICKS = 100;

interface Status {
  readonly parent: number;
  /** In ticks, with that of children that have ended. */
  readonly cpu: number;
}

// proc_pid_stat(5); the name in parentheses may have anything in it.
const statusOf = (pid: number): Status | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const cpu = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return { parent: Number(fields[1]), cpu };
  } catch {
    return undefined;
  }
};

/** A process and all that it started, directly or not. */
const treeOf = (root: number): readonly (Status & { readonly pid: number })[] => {
  const all = readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    const status = Number.isInteger(pid) ? statusOf(pid) : undefined;
    return status ? [{ pid, ...status }] : [];
  });
  const tree = new Set([root]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  return all.filter(({ pid }) => tree.has(pid));
};

/** The process that started another. */
export const parentOf = (pid: number): number => statusOf(pid)?.parent ?? 0;

/** Seconds of CPU that a process and all that it started have used until now. */
export const cpuSecondsOf = (root: number): number => treeOf(root).reduce((sum, { cpu }) => sum + cpu, 0) / TICKS;

const kilobytes = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
};

/** Mebibytes of memory that a process and all that it started hold. */
export const memoryOf = (root: number): number => treeOf(root).reduce((sum, { pid }) => sum + kilobytes(pid), 0) / 1024;
