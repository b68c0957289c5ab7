import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test-support/free-port.ts';

/** A server that was started for the run. */
export interface RunningServer {
  readonly name: 'floor' | 'service';
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to the end of the first answer. */
  readonly startedIn: number;
  /** Ends the server, if it runs. Throws where it then ends with another code than 0, or by another signal than is sent. */
  readonly stop: () => Promise<void>;
}

/** What both servers are told. */
export interface ServerSettings {
  readonly databaseUrl: string;
  readonly keysFile: string;
  readonly scrypt: { readonly logN: number; readonly p: number };
  /** Seconds that access tokens live. */
  readonly tokenLifetime: number;
  readonly workers?: number;
  /** A path and a token that a server answers with 200 as soon as it serves. */
  readonly probe: { readonly path: string; readonly token: string };
  /** More arguments for Node, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
}

const PROGRAMS = { floor: 'bench/floor.ts', service: 'packages/app/src/main.ts' };
const PATIENCE = 120_000;

const variables = (port: number, settings: ServerSettings) => ({
  PATH: process.env['PATH'],
  CHAPTER_ENV: 'PROD',
  HOST: '127.0.0.1',
  PORT: String(port),
  OPS_PORT: 'off',
  DATABASE_URL: settings.databaseUrl,
  JWT_KEYS_FILE: settings.keysFile,
  ACCESS_TOKEN_TTL: String(settings.tokenLifetime),
  CORS_ORIGINS: 'https://members.example.org',
  LOG_LEVEL: 'warn',
  PUBLIC_IP: 'off',
  SCRYPT_LOG_N: String(settings.scrypt.logN),
  SCRYPT_P: String(settings.scrypt.p),
  ...(settings.workers === undefined ? {} : { WORKERS: String(settings.workers) }),
});

/** What of the service's usual work is left out: what a floor cannot have, and what would make noise of its own. */
export const LEFT_OUT = 'in PROD, but without a line of log for every request (LOG_LEVEL=warn) and without OPS_PORT';

/** Starts a server, and waits until it has answered once. */
export const startServer = async (name: RunningServer['name'], settings: ServerSettings): Promise<RunningServer> => {
  const port = await freePort();
  const began = performance.now();
  const { nodeOptions = [] } = settings;
  const child = spawn(process.execPath, [...nodeOptions, PROGRAMS[name]], {
    env: variables(port, settings),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const { path, token } = settings.probe;
  const answers = async (): Promise<boolean> => {
    try {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      await answer.arrayBuffer();
      return answer.status === 200;
    } catch {
      return false;
    }
  };
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const [code, signal] = (await exited) as [code: number | null, signal: NodeJS.Signals | null];
    if (code || (signal && signal !== 'SIGTERM')) throw new Error(`the ${name} ended with ${code ?? signal}`);
  };
  while (!(await answers())) {
    if (child.exitCode !== null || performance.now() - began > PATIENCE) {
      await stop();
      throw new Error(`the ${name} does not answer`);
    }
    await sleep(5);
  }
  return { name, url, pid: child.pid ?? 0, startedIn: performance.now() - began, stop };
};
