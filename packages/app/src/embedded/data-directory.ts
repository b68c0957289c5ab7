import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileErrorReason, OperatorError } from '../errors/operator-error.ts';
import { ensureFile } from '../files/new-file.ts';
import { ROLE } from './cluster.ts';
import { type Listen, SOCKET_PORT } from './postmaster.ts';

/** Longest socket path in bytes that all platforms accept. macOS has the lowest limit. */
const MAX_SOCKET_PATH_BYTES = 103;

const findFreePort = async (preferred: number): Promise<number> => {
  const server = createServer();
  try {
    server.listen(preferred, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  } catch {
    return preferred === 0 ? 0 : await findFreePort(0);
  } finally {
    server.close();
  }
};

const readStoredPort = (file: string): number => {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
};

/** Returns where the server listens or last listened: a socket if its path is short, else a port on localhost. */
export const listenOf = ({ cluster, port }: DataDirectory): Listen =>
  Buffer.byteLength(join(cluster, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH_BYTES
    ? { socket: true }
    : { socket: false, port: readStoredPort(port) };

/** Chooses where a new server listens. Keeps the last port if it is free, so that the URL does not change. */
export const chooseListen = async (directory: DataDirectory): Promise<Listen> => {
  const last = listenOf(directory);
  if (last.socket) return last;
  const port = await findFreePort(last.port);
  writeFileSync(directory.port, String(port), { mode: 0o600 });
  return { socket: false, port };
};

/** Returns the URL of a database on the server. */
export const databaseUrl = ({ cluster, password }: DataDirectory, listen: Listen, database: string): string => {
  const host = listen.socket ? encodeURIComponent(cluster) : '127.0.0.1';
  const port = listen.socket ? SOCKET_PORT : listen.port;
  return `postgresql://${ROLE}:${password}@${host}:${port}/${database}`;
};

const PASSWORD_FILE = 'postgres-password';

/** Returns a function that runs file operations and turns their errors into an OperatorError that names `dataDir`. */
export const withDataDirErrors =
  (dataDir: string) =>
  async <T>(use: () => T | Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      if (error instanceof OperatorError || !(error instanceof Error && 'code' in error)) throw error;
      const sentence = `DATA_DIR (${dataDir}) cannot be used: ${fileErrorReason(error)}; use another directory.`;
      throw new OperatorError(sentence, error);
    }
  };

/** Returns the paths and the password of an existing data directory. */
export const directoryOf = (dataDir: string) => ({
  cluster: join(dataDir, 'postgres'),
  log: join(dataDir, 'postgres.log'),
  /** The file with the server's port. Used only if the path of a socket would be too long. */
  port: join(dataDir, 'postgres-port'),
  /** The random password of the only role. It is stored in this directory only. */
  password: readFileSync(join(dataDir, PASSWORD_FILE), 'utf8'),
});

/** The files of the embedded PostgreSQL in `DATA_DIR`. */
export type DataDirectory = Readonly<ReturnType<typeof directoryOf>>;

/** Creates the directory unless it exists. @throws OperatorError if it cannot be read or written. */
export const openDataDirectory = (dataDir: string): Promise<DataDirectory> =>
  withDataDirErrors(dataDir)(() => {
    ensureFile(join(dataDir, PASSWORD_FILE), () => randomBytes(24).toString('base64url'));
    return directoryOf(dataDir);
  });
