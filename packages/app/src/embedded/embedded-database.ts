import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { ensureCluster, installedPostgres, reachableBinaries } from './cluster.ts';
import { databaseUrl, listenOf, openDataDirectory, withDataDirErrors } from './data-directory.ts';
import { joinOrStart, type Presence } from './join.ts';
import { serverUser, stopPostmaster } from './postmaster.ts';

/** The program that stops an unused PostgreSQL. It has the file extension of this module (source or build output). */
const PROGRAM = join(import.meta.dirname, `stop-unused${extname(import.meta.filename)}`);

/** Waits for a line on standard input. If the input ends without a line, the process that opened it has ended. */
const WATCHDOG_SCRIPT = 'read -r _ || exec "$@"';

/**
 * Starts a shell that stops the embedded PostgreSQL if this process ends without closing it, for example by a second
 * signal, an uncaught error or SIGKILL. PostgreSQL runs in a separate process group and would otherwise keep running.
 * It does keep running if other processes use it.
 *
 * @returns a function that ends the shell. Pass `true` after leaving the server, or `false` to let the shell stop it if
 *   it is unused.
 */
const startWatchdog = (dataDir: string): ((isDone: boolean) => void) => {
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

const DATABASE = 'chapter';

const createDatabase = async (client: Client): Promise<void> => {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
  if (rowCount) return;
  await client.query(`create database ${DATABASE} template template0`).catch((error: { code?: string }) => {
    // Another process created it first: duplicate_database, or unique_violation if both did so at the same time.
    if (error.code !== '42P04' && error.code !== '23505') throw error;
  });
};

/**
 * Starts the embedded PostgreSQL in `dataDir`, or joins the server that already runs there. If the server ends, it is
 * started again, so that new connections succeed.
 *
 * @throws OperatorError if the directory cannot be used, has files of another PostgreSQL, or the server does not start.
 */
export const openEmbeddedDatabase = async (dataDir: string) => {
  const directory = await openDataDirectory(dataDir);
  const { cluster, password } = directory;
  const installed = installedPostgres();
  const user = serverUser(cluster);
  const { initdb, postgres } = reachableBinaries(installed, user);
  const withFileErrors = withDataDirErrors(dataDir);

  const endWatchdog = startWatchdog(dataDir);
  let isOpen = true;
  let presence: Presence;
  let rejoining: Promise<void> | undefined;
  const joinServer = async (): Promise<void> => {
    await withFileErrors(() => ensureCluster(cluster, { initdb, major: installed.major, password, user }));
    const joined = await withFileErrors(() => joinOrStart(directory, postgres, user));
    await createDatabase(joined.client).catch(async (error: unknown) => {
      await joined.end();
      throw new OperatorError(`PostgreSQL cannot create the database ${DATABASE}; see ${directory.log}.`, error);
    });
    presence = joined;
    presence.client.once('end', () => {
      rejoining = rejoinServer();
    });
  };
  const rejoinServer = async (): Promise<void> => {
    if (!isOpen) return;
    await joinServer().catch(async () => {
      await sleep(500);
      await rejoinServer();
    });
  };
  await joinServer().catch((error: unknown) => {
    endWatchdog(false);
    throw error;
  });

  /** Leaves the server, and stops it if no other process uses it. Close all connections to it first. */
  const close = async (): Promise<void> => {
    isOpen = false;
    // It may have started a server, which would otherwise stay.
    await rejoining;
    const isLast = await presence.leave().catch(() => undefined);
    if (isLast) await stopPostmaster(cluster);
    await presence.end();
    endWatchdog(isLast !== undefined);
  };
  return { url: databaseUrl(directory, listenOf(directory), DATABASE), close };
};

/** A database in `DATA_DIR` that this process uses. */
export type EmbeddedDatabase = Awaited<ReturnType<typeof openEmbeddedDatabase>>;
