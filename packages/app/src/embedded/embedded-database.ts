import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { installedPostgres, reachableBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { inDataDir, openDataDirectory } from './data-directory.ts';
import { joinOrStart } from './join-or-start.ts';
import { databaseUrl, listenOf } from './listen.ts';
import { stopPostmaster } from './postmaster.ts';
import type { Presence } from './presence.ts';
import { serverUser } from './unix-user.ts';
import { startWatchdog } from './watchdog.ts';

/** The database in the embedded PostgreSQL. */
const DATABASE = 'chapter';

/** A database in `DATA_DIR`, for as long as this process uses it. */
export interface EmbeddedDatabase {
  readonly url: string;
  /** Lets go, and stops the server if nobody else uses it. What is connected to it is closed before. */
  readonly close: () => Promise<void>;
}

const createDatabase = async (client: Client): Promise<void> => {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
  if (rowCount) return;
  await client.query(`create database ${DATABASE} template template0`).catch((error: { code?: string }) => {
    // Another process has been faster: duplicate_database, or unique_violation where both were at it.
    if (error.code !== '42P04' && error.code !== '23505') throw error;
  });
};

/**
 * The embedded PostgreSQL in `dataDir`: starts it, or joins the one that runs there, be it another process's or left by
 * one that was killed. Where the server goes away it is started again, so that who connects anew finds it.
 *
 * @throws OperatorError where the directory cannot be used, has files of another PostgreSQL, or the server does not start.
 */
export const openEmbeddedDatabase = async (dataDir: string): Promise<EmbeddedDatabase> => {
  const directory = await openDataDirectory(dataDir);
  const { cluster, password } = directory;
  const installed = installedPostgres();
  const user = serverUser(cluster);
  const { initdb, postgres } = reachableBinaries(installed, user);
  const inPlace = inDataDir(dataDir);

  const endWatchdog = startWatchdog(dataDir);
  let open = true;
  let presence: Presence;
  const enter = async (): Promise<void> => {
    await inPlace(() => ensureCluster(cluster, { initdb, major: installed.major, password, user }));
    presence = await inPlace(() => joinOrStart(directory, postgres, user));
    presence.client.once('end', () => void enterAgain());
    await createDatabase(presence.client);
  };
  const enterAgain = async (): Promise<void> => {
    if (!open) return;
    try {
      await enter();
    } catch {
      await sleep(500);
      await enterAgain();
    }
  };
  try {
    await enter();
  } catch (error) {
    endWatchdog(false);
    throw error;
  }

  const close = async (): Promise<void> => {
    open = false;
    const last = await presence.leave().catch(() => undefined);
    if (last) await stopPostmaster(cluster);
    await presence.end();
    endWatchdog(last !== undefined);
  };
  return { url: databaseUrl(directory, listenOf(directory), DATABASE), close };
};
