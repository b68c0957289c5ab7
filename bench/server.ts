import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test-support/free-port.ts';
import { spawn } from '../test-support/processes.ts';

export interface Program {
  readonly name: string;
  /** The path of the program from the root of its repository. */
  readonly main: string;
  /** Arguments for Node, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
  /** Settings beyond those that all servers have. */
  readonly variables?: Readonly<Record<string, string>>;
}

export const SERVICE: Program = { name: 'service', main: 'packages/app/src/main.ts' };
/** The baselines, which bench/README.md describes. */
export const BASELINE: Program = { name: 'baseline', main: 'bench/baseline.ts' };
const writesJson = { POSTGRESQL_WRITES_JSON: 'true' };
export const JSON_BASELINE: Program = { ...BASELINE, name: 'JSON baseline', variables: writesJson };

/** The root of a server's repository, where the server finds its data, and where it logs. */
type Surroundings = Readonly<Record<'root' | 'databaseUrl' | 'keysFile' | 'logFile', string>>;

/** Returns whether a server responds, if only that it has no such path. */
export const responds = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ status }) => status < 500,
    () => false,
  );

/** Starts a server, which logs to a file as in production, and waits for its first response. */
export const startServer = async (
  { name, main, nodeOptions = [], variables = {} }: Program,
  { root, databaseUrl, keysFile, logFile }: Surroundings,
) => {
  const [port, log] = [await freePort(), await open(logFile, 'a')];
  const child = spawn(process.execPath, [...nodeOptions, main], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      CHAPTER_ENV: 'PROD',
      SHUTDOWN_DELAY: '0',
      // The longest that is allowed. The tokens must be valid for the whole run.
      ACCESS_TOKEN_TTL: '86400',
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
  const ended = once(child, 'exit');
  /** Stops the server. @throws Error if its exit status is not 0. */
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    await log.close();
    if (code !== 0) throw new Error(`the ${name} ended with ${code}`);
  };
  while (!(await responds(url))) {
    if (child.exitCode !== null) throw new Error(`the ${name} ended during its start`);
    await sleep(5);
  }
  // The log of a long run would fill the disk.
  const truncateLog = () => log.truncate(0);
  return { name, url, pid: child.pid ?? 0, truncateLog, stop };
};
