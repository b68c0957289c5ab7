import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { chooseListen, type DataDirectory } from '../../src/embedded/data-directory.ts';
import { SOCKET_PORT } from '../../src/embedded/postmaster.ts';

/** The SQLSTATE and the message with which PostgreSQL rejects a connection. */
export type Rejection = readonly [code: string, message: string];

/** The rejection during the start and the recovery. */
export const STARTING: Rejection = ['57P03', 'the database system is starting up'];

/** A rejection that ends each attempt to start or join a server. */
export const WRONG_LOGIN: Rejection = ['28P01', 'password authentication failed'];

const messageOf = ([code, message]: Rejection): Buffer => {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
};

const socketOf = ({ cluster }: DataDirectory): string => join(cluster, `.s.PGSQL.${SOCKET_PORT}`);

/** Returns the path of the file with the ID of the process that serves the directory. */
export const pidFileOf = ({ cluster }: DataDirectory): string => join(cluster, 'postmaster.pid');

/** Listens where PostgreSQL would, and rejects each connection with the next rejection, then with the last. */
export const rejectConnections = async (directory: DataDirectory, rejections: Rejection[]): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    const rejection = (rejections.length > 1 ? rejections.shift() : rejections[0]) ?? WRONG_LOGIN;
    socket.once('data', () => socket.end(messageOf(rejection)));
  });
  const listen = await chooseListen(directory);
  const where = listen.socket ? { path: socketOf(directory) } : { port: listen.port };
  await new Promise<void>((resolve) => server.listen(where, resolve));
  return server;
};

/** Where a fake program records each of its starts as one character. */
const startsFile = (program: string): string => `${program}-starts`;

/** Returns how often the program was started. */
export const startsOf = (program: string): number => readFileSync(startsFile(program), 'utf8').length;

/**
 * Writes a program that rejects two connections as PostgreSQL does during its recovery, and then ends. If another one serves
 * the directory, it ends at once. From the start number `maxStarts`, it rejects each login instead. With `forks`, it ends at
 * once and leaves this work to another process.
 */
export const writePostgres = (
  program: string,
  directory: DataDirectory,
  { maxStarts, forks }: { readonly maxStarts: number; readonly forks: boolean },
): void => {
  const literal = (value: Buffer | string): string => JSON.stringify(value.toString('latin1'));
  const script = `
    const { appendFileSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
    if (${forks} && !process.env.FORKED) {
      const options = { detached: true, env: { FORKED: '1' }, stdio: 'ignore' };
      require('node:child_process').spawn(process.execPath, process.argv.slice(1), options).unref();
      process.exit(1);
    }
    appendFileSync(${literal(startsFile(program))}, '.');
    const recovers = readFileSync(${literal(startsFile(program))}).length < ${maxStarts};
    const rejection = recovers ? ${literal(messageOf(STARTING))} : ${literal(messageOf(WRONG_LOGIN))};
    const pidFile = ${literal(pidFileOf(directory))};
    let left = recovers ? 2 : Infinity;
    const stop = () => {
      rmSync(pidFile, { force: true });
      server.close();
      process.exit(1);
    };
    const server = require('node:net').createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(rejection, 'latin1', () => --left > 0 || stop()));
    });
    process.on('SIGINT', stop);
    server.on('error', () => process.exit(1));
    server.listen(${literal(socketOf(directory))}, () => writeFileSync(pidFile, String(process.pid)));
  `;
  writeFileSync(`${program}.cjs`, script);
  // A `#!` line with the path of Node would end at the first space in the path.
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' "$0.cjs" "$@"\n`, { mode: 0o755 });
};
