import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { installedPostgres, reachableBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { openDataDirectory, withDataDirErrors } from './data-directory.ts';
import { joinOrStart } from './join-or-start.ts';
import { databaseUrl, listenOf } from './listen.ts';
import { stopPostmaster } from './postmaster.ts';
import type { Presence } from './presence.ts';
import { serverUser } from './unix-user.ts';
import { startWatchdog } from './watchdog.ts';

/** The name of the database in the embedded PostgreSQL. */
const DATABASE = 'chapter';

/** A database in `DATA_DIR` that this process uses. */
export interface EmbeddedDatabase {
  readonly url: string;
  /** Leaves the server, and stops it if no other process uses it. Close all connections to it first. */
  readonly close: () => Promise<void>;
}

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
export const openEmbeddedDatabase = async (dataDir: string): Promise<EmbeddedDatabase> => {
  const directory = await openDataDirectory(dataDir);
  const { cluster, password } = directory;
  const installed = installedPostgres();
  const user = serverUser(cluster);
  const { initdb, postgres } = reachableBinaries(installed, user);
  const withFileErrors = withDataDirErrors(dataDir);

  const endWatchdog = startWatchdog(dataDir);
  let isOpen = true;
  let presence: Presence;
  const joinServer = async (): Promise<void> => {
    await withFileErrors(() => ensureCluster(cluster, { initdb, major: installed.major, password, user }));
    presence = await withFileErrors(() => joinOrStart(directory, postgres, user));
    presence.client.once('end', () => void rejoinServer());
    await createDatabase(presence.client);
  };
  const rejoinServer = async (): Promise<void> => {
    if (!isOpen) return;
    try {
      await joinServer();
    } catch {
      await sleep(500);
      await rejoinServer();
    }
  };
  try {
    await joinServer();
  } catch (error) {
    endWatchdog(false);
    throw error;
  }

  const close = async (): Promise<void> => {
    isOpen = false;
    const isLast = await presence.leave().catch(() => undefined);
    if (isLast) await stopPostmaster(cluster);
    await presence.end();
    endWatchdog(isLast !== undefined);
  };
  return { url: databaseUrl(directory, listenOf(directory), DATABASE), close };
};
