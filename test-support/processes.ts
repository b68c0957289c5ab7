import { type ChildProcess, type ExecFileOptions, execFile, spawn as nodeSpawn } from 'node:child_process';
import { promisify } from 'node:util';

/** Each sends SIGKILL to one process, or to the process group that it leads. */
const kills = new Set<() => void>();

/** Returns whether a signal could be sent: false when the process or group has ended. Signal 0 only asks. */
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
    // A group outlives its leader: npm can be killed while the service goes on.
    if (!leadsGroup || !send(target, 0)) kills.delete(kill);
  });
};

/** Node's `spawn`, for tests: what still runs at the end of the run is killed, with its group if it leads one. */
export const spawn = ((command: string, args: readonly string[], options: { readonly detached?: boolean } = {}) => {
  const child = nodeSpawn(command, args, options);
  register(child, options.detached === true);
  return child;
}) as typeof nodeSpawn;

/** Runs a program to its end. Rejects, with its output, when it fails. It is killed at the end of the run as well. */
export const execute = (file: string, args: readonly string[], options: ExecFileOptions = {}) => {
  const ended = promisify(execFile)(file, args, { ...options, encoding: 'utf8' });
  register(ended.child, false);
  return ended;
};

/** Kills every process that tests have started and that still runs. */
export const killProcesses = (): void => {
  for (const kill of kills) kill();
  kills.clear();
};

process.once('exit', killProcesses);
