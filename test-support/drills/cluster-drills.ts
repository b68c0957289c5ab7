import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterWorld } from './cluster.ts';
import { type Drill, ORPHAN_MS, restart } from './drills.ts';

/** Milliseconds after which the lease of a primary has ended for certain, which deploy/ha/patroni.yaml limits to 20 s. */
const LEASE_MS = 25_000;

/** The server whose Patroni does not run. */
let broken = '';
/** Runs something with the primary's name, and returns when another server is the primary. */
const failOver = async (world: ClusterWorld, breaks: (leader: string) => Promise<void>): Promise<void> => {
  const leader = await world.settle();
  await breaks(leader);
  await world.untilOtherThan(leader);
  broken = leader;
};
const repair = async (world: ClusterWorld): Promise<void> => {
  world.startPatroni(broken);
  await world.settle();
};

const FAKETIME = '+1h';
/** Returns the library that changes the time of a program. @throws Error if it is not installed. */
const faketime = (): string =>
  execFileSync('faketime', ['-f', FAKETIME, 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim();

const failover = 'reads and changes are 503 until another server is the primary; nothing is restarted';

/** The drills with a cluster, haproxy and pgbouncer. */
export const CLUSTER_DRILLS: readonly Drill<ClusterWorld>[] = [
  {
    name: 'switchover',
    does: 'Patroni makes the synchronous standby the primary',
    expects: failover,
    starts: ({ switchOver }) => switchOver(),
    ends: ({ settle }) => settle(),
  },
  {
    name: 'leader killed',
    does: 'all processes of Patroni and PostgreSQL on the primary are killed; they are started after the failover',
    expects: failover,
    starts: (world) =>
      failOver(world, async (leader) => {
        await world.killPatroni(leader);
        world.killPostgres(leader);
      }),
    ends: repair,
  },
  {
    name: 'orphan',
    does: 'only the Patroni of the primary is killed: its PostgreSQL continues beside the promoted server',
    expects: 'after at most 5 s, all instances use the promoted server only',
    staleMs: ORPHAN_MS,
    starts: (world) => failOver(world, world.killPatroni),
    ends: async (world) => {
      if (!world.runsPostgres(broken)) throw new Error('the former primary has ended, so nothing was drilled');
      await repair(world);
    },
  },
  {
    name: 'etcd away',
    does: 'all three members of etcd are killed, and started after the lease of the primary has ended',
    expects: 'no refusal, because of `failsafe_mode`',
    refusesNothing: true,
    starts: async ({ killStores }) => {
      await killStores();
      await sleep(LEASE_MS);
    },
    ends: async ({ startStores, settle }) => {
      startStores();
      await settle();
    },
  },
  {
    name: 'pooler restart',
    does: 'pgbouncer is stopped and started',
    expects: 'one instance is 503 until it is back; nothing is restarted',
    starts: ({ stopPooler }) => stopPooler(),
    ends: ({ startPooler }) => startPooler(),
  },
  {
    name: 'pooler to a replica',
    does: 'pgbouncer connects to a replica whose replay is paused',
    expects: 'one instance is 503 meanwhile',
    starts: ({ leadToReplica }) => leadToReplica(),
    ends: ({ leadToPrimary }) => leadToPrimary(),
  },
  {
    name: 'clock',
    does: 'the clock of one instance is an hour ahead: it leaves the rotation, is restarted with faketime, and returns',
    expects: 'no refusal, but the other instance does not accept tokens that this one issues (401)',
    refusesNothing: true,
    allows: /: 401 /,
    starts: (world, clients) => restart(world, clients, 1, { LD_PRELOAD: faketime(), FAKETIME }),
  },
];
