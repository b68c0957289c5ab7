import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from './processes.ts';

const MAIN = 'packages/app/src/main.ts';

/** Settings that make a service of a test's own: free ports, cheap hashes, no look-up in the world, few log lines. */
export const testSettings = {
  CHAPTER_ENV: 'DEV',
  PORT: '0',
  OPS_PORT: 'off',
  SCRYPT_LOG_N: '4',
  SCRYPT_P: '1',
  PUBLIC_IP: '192.0.2.1',
  LOG_LEVEL: 'warn',
} as const;

/** A service in a process of its own. */
export interface ServiceProcess {
  /** The address that it printed. */
  readonly url: string;
  /** Everything that it printed so far, on either stream. */
  readonly output: () => string;
  /** Waits until it has printed this text, or has ended. */
  readonly printed: (text: string) => Promise<void>;
  /** The ids of the processes that it has started. Linux only. */
  readonly children: () => readonly number[];
  /** Sends a signal and waits for the end. */
  readonly end: (
    signal?: NodeJS.Signals,
  ) => Promise<{ readonly status: number | null; readonly signal: string | null }>;
}

/** How a process that did not come to serve has ended. */
export interface FailedStart {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The address that a service printed: to people in a sentence, to machines in a line of JSON. */
const printedUrl = (stdout: string): string | undefined => {
  const port = /"port":(\d+),"msg":"listening"/.exec(stdout)?.[1];
  return /listens on (http:\S+)/.exec(stdout)?.[1] ?? (port && `http://127.0.0.1:${port}`);
};

/** Returns the ids of the processes that a process has started. Linux only. */
export const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** A program and its arguments, as a process that may have only so many files open. */
const withOpenFiles = (openFiles: number, command: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  `ulimit -n ${openFiles}; exec "$@"`,
  'sh',
  ...command,
];

/**
 * Starts the service and waits until it serves, or has ended without. `main` is its program, from the repository's root;
 * `openFiles` is how many files it may have open.
 */
export const startService = (
  settings: Readonly<Record<string, string>>,
  main: string = MAIN,
  openFiles?: number,
): Promise<ServiceProcess | FailedStart> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...testSettings, ...settings };
    const command = [process.execPath, join(process.cwd(), main)];
    const [program = '', ...args] = openFiles === undefined ? command : withOpenFiles(openFiles, command);
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const state = { hasEnded: false };
    let stdout = '';
    let stderr = '';
    const heard = new EventEmitter();
    const ended = new Promise<{ status: number | null; signal: string | null }>((end) => {
      child.once('close', (status, signal) => {
        state.hasEnded = true;
        end({ status, signal });
        heard.emit('more');
      });
    });
    const end = (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    };
    const printed = async (text: string): Promise<void> => {
      while (!state.hasEnded && !(stdout + stderr).includes(text)) await once(heard, 'more');
    };
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      heard.emit('more');
    });
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      heard.emit('more');
      const url = printedUrl(stdout);
      if (!url) return;
      resolve({ url, output: () => stdout + stderr, printed, children: () => childrenOf(child.pid ?? 0), end });
    });
    void ended.then(({ status }) => resolve({ status, stdout, stderr }));
  });

/** Starts the service, which has to serve. @throws Error with what it printed. */
export const serve = async (
  settings: Readonly<Record<string, string>>,
  main?: string,
  openFiles?: number,
): Promise<ServiceProcess> => {
  const started = await startService(settings, main, openFiles);
  if ('url' in started) return started;
  throw new Error(`the service did not start (${started.status}): ${started.stdout}${started.stderr}`);
};

/** An empty folder for `DATA_DIR`, and its removal. */
export const makeDataDir = (): { readonly path: string; readonly remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), 'chapter-data-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};
