import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSessions } from './data/callers.ts';
import { openDatabase, PASSWORD } from './data/database.ts';
import { makeKey, TOKEN_LIFETIME } from './data/keys.ts';
import { walkToCursors } from './deep-cursors.ts';
import type { World } from './kinds.ts';
import { chooseGenerator } from './load/choose.ts';
import { findWrk } from './load/wrk.ts';
import { type RunningServer, type ServerSettings, startServer } from './measure/server.ts';
import type { RoundPorts } from './rounds.ts';
import type { Settings } from './settings.ts';

/** What servers are measured on: a full database, callers with tokens, and what makes the load. */
export interface Stage {
  /** What rounds are run with, but for the servers and the requests. */
  readonly ports: Omit<RoundPorts, 'floor' | 'service' | 'world'>;
  /** What it is made of, as a report says it. */
  readonly versions: { readonly database: string; readonly generator: string };
  readonly servers: ServerSettings;
  /** Starts a server, told more than the others, that ends with the stage at the latest. */
  readonly start: (name: RunningServer['name'], more?: Partial<ServerSettings>) => Promise<RunningServer>;
  /** What requests are made of. The server is asked for the places in its lists. */
  readonly worldOf: (server: RunningServer) => Promise<World>;
  /** Ends all that was started. Throws where something did not end well, once all has ended. */
  readonly close: () => Promise<void>;
}

/** Opens a stage. */
export const openStage = async (settings: Settings, say: (line: string) => void): Promise<Stage> => {
  const { size, scrypt, connections, seconds } = settings;
  const generator = chooseGenerator(settings, findWrk());
  const open: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    const faults: unknown[] = [];
    for (const stop of open.splice(0).toReversed()) await stop().catch((error: unknown) => faults.push(error));
    if (faults.length > 0) throw new AggregateError(faults, 'what was measured on did not end well');
  };
  try {
    say('filling the database');
    const database = await openDatabase(settings.databaseUrl, size, scrypt);
    open.push(database.stop);
    const key = makeKey();
    const folder = await mkdtemp(join(tmpdir(), 'chapter-bench-'));
    open.push(() => rm(folder, { recursive: true }));
    const keysFile = join(folder, 'keys.json');
    await writeFile(keysFile, key.text, { mode: 0o600 });
    const callers = await startSessions(database.client, size, key.privateKey);
    const [prober] = callers.deepStaff;
    if (!prober) throw new Error('nobody is there to ask');
    const probe = { path: `/api/users/${prober.id}/`, token: prober.token };
    const servers: ServerSettings = {
      databaseUrl: database.url,
      keysFile,
      scrypt,
      tokenLifetime: TOKEN_LIFETIME,
      probe,
    };
    const vacuum = () => database.client.query('vacuum user_account');
    return {
      ports: { generator, databasePid: database.pid, vacuum, connections, seconds, say },
      versions: { database: database.version, generator: generator.name },
      servers,
      start: async (name, more = {}) => {
        const server = await startServer(name, { ...servers, ...more });
        open.push(server.stop);
        return server;
      },
      worldOf: async ({ url }) => {
        const cursors = await walkToCursors(url, prober.token, size.deep);
        return { ...callers, size, cursors, password: PASSWORD };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
