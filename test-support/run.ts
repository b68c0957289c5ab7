import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Finished {
  readonly ok: boolean;
  readonly seconds: number;
  readonly output: string;
}

export interface RunOptions {
  /** Called with each line of either stream as it arrives. */
  readonly onLine?: (line: string) => void;
  /** Recognises the last line. Node can hang as it exits (nodejs/node#54918), so the command is killed `endMs` later. */
  readonly isLast?: (line: string) => boolean;
  /** Additional environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The maximum duration in milliseconds. A longer run is stopped and counts as failed. */
  readonly limitMs?: number;
  /** Stops the command when the signal is aborted. */
  readonly signal?: AbortSignal;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** Milliseconds between the last line and SIGKILL. Node writes coverage in them. */
  readonly endMs?: number;
}

/** How long to read the output of processes that outlive the command, in milliseconds. */
const DRAIN_MS = 5000;

/**
 * Runs a shell command in its own process group, and kills the rest of the group when the command ends. Returns a result
 * even if processes outside the group keep the output open.
 */
export const run = (command: string, options: RunOptions = {}): Promise<Finished> => {
  const { onLine = () => {}, variables = {}, isLast, limitMs, signal, graceMs = 30_000, endMs = 60_000 } = options;
  const started = performance.now();
  const lines: string[] = [];
  let wasEnded = false;
  let hasHung = false;
  const child = spawn('sh', ['-c', command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
    detached: true,
  });
  const send = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group has already ended.
    }
  };
  const timers: NodeJS.Timeout[] = [];
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const killHung = (): void => {
    hasHung = true;
    send('SIGKILL');
  };
  const add = (line: string): void => {
    lines.push(line);
    onLine(line);
    if (isLast?.(line) && isRunning()) timers.push(setTimeout(killHung, endMs));
  };
  const end = (reason?: string): void => {
    if (wasEnded || !isRunning()) return;
    wasEnded = true;
    if (reason) add(reason);
    send('SIGTERM');
    timers.push(setTimeout(() => send('SIGKILL'), graceMs));
  };
  const onAbort = (): void => end();
  if (limitMs !== undefined) {
    timers.push(
      setTimeout(() => end(`ended after the time limit of ${limitMs / 60_000} minutes: ${command}`), limitMs),
    );
  }
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) end();
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', add);
  return new Promise((resolve) => {
    child.once('exit', () => {
      for (const timer of timers) clearTimeout(timer);
      send('SIGKILL');
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS).unref();
    });
    child.once('close', (code) => {
      signal?.removeEventListener('abort', onAbort);
      const seconds = (performance.now() - started) / 1000;
      resolve({ ok: (code === 0 || hasHung) && !wasEnded, seconds, output: lines.join('\n') });
    });
  });
};
