import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** Whether a process of this number is there, whoever it belongs to. */
export const isRunning = (pid: number): boolean => {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** The words of the command that a process was started with; none where it is gone. */
export const commandOf = (pid: number): readonly string[] => {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).split(/\s+/);
  } catch {
    return [];
  }
};

/** Runs a program to its end, with a file as its standard input; tells what it wrote to standard error. */
export const run = async (
  program: string,
  args: readonly string[],
  input: number,
  options: SpawnOptions,
): Promise<{ readonly status: number | null; readonly stderr: string }> => {
  const child = spawn(program, args, { ...options, stdio: [input, 'ignore', 'pipe'] });
  const [stderr, [status]] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { status, stderr };
};
