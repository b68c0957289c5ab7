import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** Returns whether a process with this ID exists, of any user. */
export const isRunning = (pid: number): boolean => {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Returns the command line of a process as a list of arguments; empty if the process has ended. */
export const commandOf = (pid: number): readonly string[] => {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).split(/\s+/);
  } catch {
    return [];
  }
};

/** Runs a program until it ends, with an open file as standard input. Returns its standard error. */
export const runProgram = async (
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
