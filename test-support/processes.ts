import { type ChildProcess, type ExecFileOptions, execFile, spawn as nodeSpawn } from 'node:child_process';
import { promisify } from 'node:util';

/** Functions that send SIGKILL to a process, or to the process group that it leads. */
const kills = new Set<() => void>();

/** Sends a signal. Returns false if the process or group has ended. Signal 0 only checks. */
const send = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
};

const register = (child: ChildProcess, leadsGroup: boolean): void => {
  if (child.pid === undefined) return;
  const target = leadsGroup ? -child.pid : child.pid;
  const kill = (): void => void send(target, 'SIGKILL');
  kills.add(kill);
  child.once('exit', () => {
    // A group outlives its leader: npm can be killed while the service continues.
    if (!leadsGroup || !send(target, 0)) kills.delete(kill);
  });
};

/** Node's `spawn` for tests: at the end of the run, it kills the process, or its group if it leads one. */
export const spawn = ((command: string, args: readonly string[], options: { readonly detached?: boolean } = {}) => {
  const child = nodeSpawn(command, args, options);
  register(child, options.detached === true);
  return child;
}) as typeof nodeSpawn;

/** Runs a program and waits for it. Rejects with its output if it fails. It is killed at the end of the run, too. */
export const execute = (file: string, args: readonly string[], options: ExecFileOptions = {}) => {
  const ended = promisify(execFile)(file, args, { ...options, encoding: 'utf8' });
  register(ended.child, false);
  return ended;
};

/** Kills every process that tests started and that still runs. */
export const killProcesses = (): void => {
  for (const kill of kills) kill();
  kills.clear();
};

process.once('exit', killProcesses);
