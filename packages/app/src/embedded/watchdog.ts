import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { extname, join, resolve } from 'node:path';

/** The program that stops an unused PostgreSQL. It has the same file extension as this module (source or build output). */
const PROGRAM = join(import.meta.dirname, `stop-unused${extname(import.meta.filename)}`);

/** Waits for a line on standard input. If the input ends without a line, the process that opened it has ended. */
const WATCHDOG_SCRIPT = 'read -r _ || exec "$@"';

/**
 * Starts a shell that stops the embedded PostgreSQL if this process ends without closing it, for example by a second signal,
 * an uncaught error or SIGKILL. PostgreSQL runs in a separate process group and would otherwise keep running. It does keep
 * running if other processes use it.
 *
 * @returns a function that ends the shell. Pass `true` after leaving the server, or `false` to let the shell stop an unused
 *   server.
 */
export const startWatchdog = (dataDir: string): ((isDone: boolean) => void) => {
  const child = spawn('sh', ['-c', WATCHDOG_SCRIPT, 'sh', process.execPath, PROGRAM, resolve(dataDir)], {
    detached: true, // so that signals to this process group do not end it
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell there is no watchdog, but the database works.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return (isDone) => {
    child.stdin.end(isDone ? '\n' : '');
  };
};
