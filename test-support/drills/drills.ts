import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { signalAll } from './server.ts';
import type { DrillWorld } from './world.ts';
import { type Clients, startWriteLog, type WriteLog } from './write-log.ts';

/** Milliseconds for which instances may use a primary that continues beside the promoted one (docs/operations.md). */
export const ORPHAN_MS = 5000;

/** Something that breaks for a time while clients use the service. */
export interface Drill<World = DrillWorld> {
  readonly name: string;
  readonly does: string;
  readonly expects: string;
  /** Whether no request may be refused. */
  readonly refusesNothing?: true;
  /** Wrong responses that the documents announce. */
  readonly allows?: RegExp;
  /** Milliseconds for which reads may miss a change, because the documents say so. */
  readonly staleMs?: number;
  readonly starts?: (world: World, clients: Clients) => unknown;
  readonly ends?: (world: World) => unknown;
}

/** What every drill needs: the addresses of the instances, and the servers in which the changes are stored in the end. */
export interface Drilled extends Readonly<Record<'primary' | 'standby', { readonly url: string }>> {
  readonly addresses: readonly string[];
}

const TAKER = 'drill';
/** A connection that begins has no name yet, so only those that were taken count. */
const ALL_TAKEN = `select count(*) = current_setting('max_connections')::int as are_taken from pg_stat_activity
  where application_name = '${TAKER}'`;

/** Takes all connections of a server with the default `max_connections`, also those that the service had. */
const takeConnections = async ({ primary, taken }: DrillWorld): Promise<void> => {
  const take = async (): Promise<void> => {
    const client = new Client({ connectionString: primary.url, application_name: TAKER });
    client.on('error', () => {});
    await client.connect();
    taken.push(client);
  };
  const done = new AbortController();
  const takeAll = async (): Promise<void> => {
    while (!done.signal.aborted) await take().catch(() => sleep(5));
  };
  while (taken.length < 50) await take();
  const taking = Promise.all(Array.from({ length: 8 }, takeAll));
  // Repeatedly, because the service connects again.
  while (!done.signal.aborted) {
    await taken[0]?.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'chapter'`);
    const [state] = (await taken[0]?.query<{ are_taken: boolean }>(ALL_TAKEN))?.rows ?? [];
    if (state?.are_taken) done.abort();
  }
  await taking;
};

const setReadOnly = async ({ primary }: DrillWorld, value: 'on' | 'off'): Promise<void> => {
  // On one connection, whose own transactions may write.
  const client = new Client({ connectionString: `${primary.url}?options=-c%20default_transaction_read_only%3Doff` });
  await client.connect();
  await client.query(`alter system set default_transaction_read_only = ${value}`);
  await client.query('select pg_reload_conf()');
  await client.end();
};

const fill = ({ disk }: DrillWorld): void => {
  const chunk = Buffer.alloc(2 ** 16);
  try {
    for (;;) writeFileSync(join(disk ?? '', 'filler'), chunk, { flag: 'a' });
  } catch {
    // It is full.
  }
};

/** Restarts an instance with these variables, while clients use the other one. */
export const restart = async (
  { instances, addresses }: Pick<DrillWorld, 'instances' | 'addresses'>,
  { rotate }: Clients,
  at: 0 | 1,
  variables?: Readonly<Record<string, string>>,
): Promise<void> => {
  await rotate(...addresses.filter((_, other) => other !== at));
  await instances[at].end();
  await instances[at].start(variables);
  await rotate(...addresses);
};

const restartInTurn = async (world: DrillWorld, clients: Clients): Promise<void> => {
  for (const at of [0, 1] as const) await restart(world, clients, at);
};

const refusal = 'reads and changes are 503 until it is back; nothing is restarted';

/** The drills in their order: the last one leaves two primaries. */
export const DRILLS: readonly Drill[] = [
  {
    name: 'none',
    does: 'nothing breaks',
    expects: 'no refusal',
    refusesNothing: true,
  },
  {
    name: 'kill',
    does: 'all processes of the primary are killed, and it is started again',
    expects: refusal,
    starts: ({ primary }) => primary.kill(),
    ends: ({ primary }) => primary.start(),
  },
  {
    name: 'stop',
    does: 'the primary is stopped (fast) and started',
    expects: refusal,
    starts: ({ primary }) => primary.stop(),
    ends: ({ primary }) => primary.start(),
  },
  {
    name: 'freeze',
    does: 'all processes of the primary are stopped by SIGSTOP, and continued',
    expects: '503 after at most `REQUEST_DEADLINE`, then at once',
    starts: ({ primary }) => primary.freeze(),
    ends: ({ primary }) => primary.thaw(),
  },
  {
    name: 'cut',
    does: 'the network to the primary closes all connections and refuses new ones',
    expects: refusal,
    starts: ({ network }) => network.cut(),
    ends: ({ network }) => network.mend(),
  },
  {
    name: 'max_connections',
    does: 'other programs take all connections of the primary',
    expects: '503 until connections are free',
    starts: takeConnections,
    ends: ({ taken }) => Promise.all(taken.splice(0).map((client) => client.end())),
  },
  {
    name: 'read-only',
    does: '`default_transaction_read_only` is on',
    expects: 'reads continue; changes and logins are 503',
    starts: (world) => setReadOnly(world, 'on'),
    ends: (world) => setReadOnly(world, 'off'),
  },
  {
    name: 'disk full',
    does: 'the disk of the tables is filled, and freed',
    expects: 'reads continue; changes and logins are 503',
    starts: fill,
    ends: ({ disk }) => rmSync(join(disk ?? '', 'filler')),
  },
  {
    name: 'no synchronous standby',
    does: 'the primary waits for its standby, which is stopped and started',
    expects: 'reads continue; changes and logins are 503, and may be stored later',
    starts: ({ standby }) => standby.stop(),
    ends: ({ standby }) => standby.start(),
  },
  {
    name: 'replica lags',
    does: 'the replica pauses its replay',
    expects: 'no refusal; lists from the primary',
    refusesNothing: true,
    starts: ({ standby }) => standby.sql('select pg_wal_replay_pause()'),
    ends: ({ standby }) => standby.sql('select pg_wal_replay_resume()'),
  },
  {
    name: 'replica hangs',
    does: 'the network to the replica forwards nothing',
    expects: 'lists from the primary',
    starts: ({ replicaNetwork }) => replicaNetwork.hang(),
    ends: ({ replicaNetwork }) => replicaNetwork.mend(),
  },
  {
    name: 'worker killed',
    does: 'one of the two workers of an instance is killed',
    expects: 'its requests get no response; it is replaced',
    starts: ({ instances }) => signalAll(instances[0].workers().slice(0, 1), 'SIGKILL'),
  },
  {
    name: 'instance killed',
    does: 'an instance is killed, and started again; clients continue to try both',
    expects: 'its requests get no response; the other one serves',
    starts: ({ instances }) => instances[0].end('SIGKILL'),
    ends: ({ instances }) => instances[0].start(),
  },
  {
    name: 'instance frozen',
    does: 'all processes of an instance are stopped by SIGSTOP, and continued',
    expects: 'its requests wait until a proxy or the client gives up; the other one serves',
    starts: ({ instances }) => instances[0].signal('SIGSTOP'),
    ends: ({ instances }) => instances[0].signal('SIGCONT'),
  },
  {
    name: 'rolling restart',
    does: 'each instance leaves the rotation, is restarted with SIGTERM, and returns',
    expects: 'no refusal',
    refusesNothing: true,
    starts: restartInTurn,
  },
  {
    name: 'restore',
    does: 'the files of the primary are copied; later it is killed and restored from the copy and the log since then',
    expects: `${refusal}; nothing is lost`,
    starts: ({ primary }) => primary.backUp(),
    ends: ({ primary }) => primary.restore(),
  },
  {
    name: 'promotion',
    does: 'the standby is promoted while the primary continues',
    expects: 'after at most 5 s, all instances use the promoted server only',
    staleMs: ORPHAN_MS,
    starts: ({ standby }) => standby.sql('select pg_promote()'),
  },
];

/** The names of the drills that `npm test` runs. */
export const QUICK: readonly string[] = ['kill', 'freeze', 'promotion'];

/** Runs a drill with clients before, during and after it. The fault lasts `holdMs`. */
export const runDrill = async <World extends Drilled>(
  world: World,
  drill: Drill<World>,
  holdMs: number,
): Promise<WriteLog> => {
  const clients = await startWriteLog(drill.name.replaceAll(/\W/g, '-'), world.addresses, drill.staleMs);
  await clients.untilServing();
  await drill.starts?.(world, clients);
  await sleep(holdMs);
  await drill.ends?.(world);
  await clients.untilServing();
  return clients.stop(drill.staleMs ? world.standby.url : world.primary.url);
};

/**
 * Returns what must not happen: changes that were lost or stored twice, wrong responses, rights that were taken away, and refusals
 * in a drill that allows none.
 */
export const faultsIn = (
  { wrong, lost, doubled, suspended, refused }: WriteLog,
  { allows, refusesNothing }: Pick<Drill, 'allows' | 'refusesNothing'>,
): readonly string[] => [
  ...(refusesNothing && refused > 0 ? [`refused: ${refused} requests`] : []),
  ...wrong.filter((one) => !allows?.test(one)).map((one) => `wrong: ${one}`),
  ...lost.map((one) => `lost: ${one}`),
  ...doubled.map((one) => `stored twice: ${one}`),
  ...(suspended.accepted > 0 ? [`accepted from suspended users: ${suspended.accepted} requests`] : []),
];
