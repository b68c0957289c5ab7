import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test-support/free-port.ts';
import { spawn } from '../test-support/processes.ts';

/** A server that the bench can start. */
export interface Program {
  readonly name: string;
  /** The path of the program from the root of its repository. */
  readonly main: string;
  /** The root of the repository; by default, of this one. */
  readonly root?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Arguments for Node, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
}

/** The service in this folder. */
export const SERVICE: Program = { name: 'service', main: 'packages/app/src/main.ts' };

/** The baseline, which bench/README.md describes. */
export const BASELINE: Program = { name: 'baseline', main: 'bench/baseline.ts' };
export const JSON_BASELINE: Program = {
  ...BASELINE,
  name: 'JSON baseline',
  variables: { POSTGRESQL_WRITES_JSON: 'true' },
};

/** Where a server finds its data, where it logs, and a request that returns 200 when it is ready. */
interface Surroundings {
  readonly databaseUrl: string;
  readonly keysFile: string;
  readonly logFile: string;
  readonly probe: { readonly path: string; readonly token: string };
}

const START_LIMIT_MS = 300_000;

const responds = (url: string, token: string): Promise<boolean> =>
  fetch(url, { headers: { authorization: `Bearer ${token}` } })
    .then((response) => response.arrayBuffer().then(() => response.ok))
    .catch(() => false);

/** Starts a server, which logs to a file as in production, and waits for its first response. */
export const startServer = async (
  { name, main, root = '.', variables = {}, nodeOptions = [] }: Program,
  { databaseUrl, keysFile, logFile, probe }: Surroundings,
) => {
  const [port, log, began] = [await freePort(), await open(logFile, 'a'), performance.now()];
  const child = spawn(process.execPath, [...nodeOptions, main], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      CHAPTER_ENV: 'PROD',
      HOST: '127.0.0.1',
      PORT: String(port),
      OPS_PORT: 'off',
      DATABASE_URL: databaseUrl,
      JWT_KEYS_FILE: keysFile,
      CORS_ORIGINS: 'https://members.example.org',
      PUBLIC_IP: 'off',
      ...variables,
    },
    stdio: ['ignore', log.fd, 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  /** Stops the server if it runs. @throws Error if its exit status is not 0. */
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    await log.close();
    if (code) throw new Error(`the ${name} ended with ${code}`);
  };
  while (!(await responds(url + probe.path, probe.token))) {
    if (child.exitCode !== null || performance.now() - began > START_LIMIT_MS) {
      await stop();
      throw new Error(`the ${name} does not respond`);
    }
    await sleep(5);
  }
  // The log of a long run would fill the disk.
  const truncateLog = () => log.truncate(0);
  return { name, url, pid: child.pid ?? 0, truncateLog, stop };
};
