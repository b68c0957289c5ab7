import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { extname, join, resolve } from 'node:path';

/** The program that stops an unused PostgreSQL: beside this file, and like it source or build output. */
const PROGRAM = join(import.meta.dirname, `stop-unused${extname(import.meta.filename)}`);

/** Waits for a line on standard input. The end of input without one means that the process which opened it has ended. */
const SCRIPT = 'read -r _ || exec "$@"';

/**
 * Starts a shell that stops the embedded PostgreSQL if this process ends without closing it, no matter how: by a second
 * signal, a fault, or SIGKILL. PostgreSQL runs in a process group of its own and would outlive it. Other processes that
 * use the server keep it running.
 *
 * @returns a function to call when the server was left: `true` if it needs no further check.
 */
export const startWatchdog = (dataDir: string): ((isDone: boolean) => void) => {
  const child = spawn('sh', ['-c', SCRIPT, 'sh', process.execPath, PROGRAM, resolve(dataDir)], {
    detached: true, // a signal to the process group is not for it
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell there is no watchdog; the database works all the same.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return (isDone) => {
    child.stdin.end(isDone ? '\n' : '');
  };
};
