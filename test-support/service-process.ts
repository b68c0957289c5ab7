import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from './processes.ts';

const MAIN = 'packages/app/src/main.ts';

/** Settings for a service in tests: free ports, cheap hashes, no look-up of the public address, few log lines. */
export const testSettings = {
  CHAPTER_ENV: 'DEV',
  PORT: '0',
  OPS_PORT: 'off',
  SCRYPT_LOG_N: '4',
  SCRYPT_P: '1',
  PUBLIC_IP: '192.0.2.1',
  LOG_LEVEL: 'warn',
  SHUTDOWN_DELAY: '0',
} as const;

/** A service in a separate process. */
export interface ServiceProcess {
  /** The address of the API, from the service's output. */
  readonly url: string;
  readonly pid: number;
  /** Returns the output so far, of both streams. */
  readonly output: () => string;
  /** Resolves when the output contains the text, or when the process has ended. */
  readonly printed: (text: string) => Promise<void>;
  /** Returns the ids of its child processes. Linux only. */
  readonly children: () => readonly number[];
  /** Sends a signal and waits for the process to end. */
  readonly end: (
    signal?: NodeJS.Signals,
  ) => Promise<{ readonly status: number | null; readonly signal: string | null }>;
}

/** The end of a process that did not start serving. */
export interface FailedStart {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Finds the address in the output, which is a sentence for people or a JSON log line. */
const printedUrl = (stdout: string): string | undefined => {
  const port = /"port":(\d+),"msg":"listening"/.exec(stdout)?.[1];
  return /listens on (http:\S+)/.exec(stdout)?.[1] ?? (port && `http://127.0.0.1:${port}`);
};

/** Returns the ids of the processes that a process has started. Linux only. */
export const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** Returns a command that runs another one with a limit of open files. */
const withOpenFiles = (openFiles: number, command: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  `ulimit -n ${openFiles}; exec "$@"`,
  'sh',
  ...command,
];

/**
 * Starts the service. Resolves when it serves, or when it ends without serving. `main` is the program's path from the root
 * of the repository; `openFiles` is the limit of open files.
 */
export const startServiceProcess = (
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
    const output = new EventEmitter();
    const ended = new Promise<{ status: number | null; signal: string | null }>((end) => {
      child.once('close', (status, signal) => {
        state.hasEnded = true;
        end({ status, signal });
        output.emit('more');
      });
    });
    const end = (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    };
    const printed = async (text: string): Promise<void> => {
      while (!state.hasEnded && !(stdout + stderr).includes(text)) await once(output, 'more');
    };
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      output.emit('more');
    });
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      output.emit('more');
      const url = printedUrl(stdout);
      if (!url) return;
      const { pid = 0 } = child;
      resolve({ url, pid, output: () => stdout + stderr, printed, children: () => childrenOf(pid), end });
    });
    void ended.then(({ status }) => resolve({ status, stdout, stderr }));
  });

/** Starts the service and waits until it serves. @throws Error with its output if it does not. */
export const serveInProcess = async (
  settings: Readonly<Record<string, string>>,
  main?: string,
  openFiles?: number,
): Promise<ServiceProcess> => {
  const started = await startServiceProcess(settings, main, openFiles);
  if ('url' in started) return started;
  throw new Error(`the service did not start (${started.status}): ${started.stdout}${started.stderr}`);
};
