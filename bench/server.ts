import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashProcessors } from '../packages/app/src/passwords/scrypt-hash.ts';
import { freePort } from '../test-support/free-port.ts';
import { spawn } from '../test-support/processes.ts';
import { TOKEN_LIFETIME } from './tokens.ts';

/** A server that runs for the bench. */
export interface RunningServer {
  readonly name: 'baseline' | 'service';
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to the end of the first response. */
  readonly startedIn: number;
  /** Stops the server if it runs. @throws Error if its exit status is not 0. */
  readonly stop: () => Promise<void>;
}

/** The settings of both servers. */
export interface ServerSettings {
  readonly databaseUrl: string;
  readonly keysFile: string;
  readonly scrypt: { readonly logN: number; readonly p: number };
  readonly workers?: number;
  /** A request that returns 200 when the server is ready. */
  readonly probe: { readonly path: string; readonly token: string };
  /** Arguments for the Node that runs the service, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
}

const PROGRAMS = { baseline: 'bench/baseline.ts', service: 'packages/app/src/main.ts' };
const START_LIMIT_MS = 300_000;

const responds = (url: string, token: string): Promise<boolean> =>
  fetch(url, { headers: { authorization: `Bearer ${token}` } })
    .then((response) => response.arrayBuffer().then(() => response.ok))
    .catch(() => false);

/** Starts a server and waits for its first response. */
export const startServer = async (name: RunningServer['name'], settings: ServerSettings): Promise<RunningServer> => {
  const { databaseUrl, keysFile, scrypt, workers = 1, probe, nodeOptions = [] } = settings;
  const [port, began] = [await freePort(), performance.now()];
  const child = spawn(process.execPath, [...nodeOptions, PROGRAMS[name]], {
    env: {
      PATH: process.env['PATH'],
      CHAPTER_ENV: 'PROD',
      HOST: '127.0.0.1',
      PORT: String(port),
      OPS_PORT: 'off',
      DATABASE_URL: databaseUrl,
      JWT_KEYS_FILE: keysFile,
      ACCESS_TOKEN_TTL: String(TOKEN_LIFETIME),
      CORS_ORIGINS: 'https://members.example.org',
      LOG_LEVEL: 'warn',
      PUBLIC_IP: 'off',
      SCRYPT_LOG_N: String(scrypt.logN),
      SCRYPT_P: String(scrypt.p),
      WORKERS: String(workers),
      // As many concurrent hashes as in the service. With more, dozens would be unfinished, and not counted, when a load ends.
      ...(name === 'baseline' && { UV_THREADPOOL_SIZE: String(hashProcessors().byDefault) }),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code) throw new Error(`the ${name} ended with ${code}`);
  };
  while (!(await responds(url + probe.path, probe.token))) {
    if (child.exitCode !== null || performance.now() - began > START_LIMIT_MS) {
      await stop();
      throw new Error(`the ${name} does not respond`);
    }
    await sleep(5);
  }
  return { name, url, pid: child.pid ?? 0, startedIn: performance.now() - began, stop };
};
