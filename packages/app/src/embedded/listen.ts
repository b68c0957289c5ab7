import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ROLE } from './cluster.ts';
import type { DataDirectory } from './data-directory.ts';
import { type Listen, SOCKET_PORT } from './postmaster.ts';

/** Bytes of a socket's path that every platform takes; macOS has the least. */
const MAX_SOCKET_PATH_BYTES = 103;

const freePort = async (wanted: number): Promise<number> => {
  const server = createServer();
  try {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  } catch {
    return wanted === 0 ? 0 : await freePort(0);
  } finally {
    server.close();
  }
};

const keptPort = (file: string): number => {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
};

/** Where the server listens or last listened: a socket where its path is short enough, else a port of this machine. */
export const listenOf = ({ cluster, port }: DataDirectory): Listen =>
  Buffer.byteLength(join(cluster, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH_BYTES
    ? { socket: true }
    : { socket: false, port: keptPort(port) };

/** Where a server about to start can listen: the last port, if it is still free, so that its URL stays what it was. */
export const listenAnew = async (directory: DataDirectory): Promise<Listen> => {
  const last = listenOf(directory);
  if (last.socket) return last;
  const port = await freePort(last.port);
  writeFileSync(directory.port, String(port), { mode: 0o600 });
  return { socket: false, port };
};

/** The URL of a database of the server. */
export const databaseUrl = ({ cluster, password }: DataDirectory, listen: Listen, database: string): string => {
  const host = listen.socket ? encodeURIComponent(cluster) : '127.0.0.1';
  const port = listen.socket ? SOCKET_PORT : listen.port;
  return `postgresql://${ROLE}:${password}@${host}:${port}/${database}`;
};
