// `npm run drill`: breaks the database, the network and the instances, one after the other, while clients log each acknowledged change,
// then the parts of a cluster with Patroni. Prints what they saw, and writes it into docs/drills.md. With `cluster`, it runs only the
// latter; with `quick`, the drills of `npm test`; with names of drills, only those, and writes nothing. Ends with exit status 1 if anything
// was lost, stored twice or wrong. Needs Linux.
import { describeRun, list, publish, table } from '../bench/report/markdown.ts';
import { openCluster } from '../test-support/drills/cluster.ts';
import { PROGRAMS, versionOf } from '../test-support/drills/cluster-configuration.ts';
import { CLUSTER_DRILLS } from '../test-support/drills/cluster-drills.ts';
import { DRILLS, type Drill, type Drilled, faultsIn, QUICK, runDrill } from '../test-support/drills/drills.ts';
import { openWorld } from '../test-support/drills/world.ts';
import type { WriteLog } from '../test-support/drills/write-log.ts';

const HOLD_SECONDS = 8;
const [first, ...others] = process.argv.slice(2);
const names = first === undefined || first === 'cluster' ? undefined : first === 'quick' ? QUICK : [first, ...others];
const known = [...DRILLS, ...CLUSTER_DRILLS].map(({ name }) => name);
const unknown = names?.filter((name) => !known.includes(name)) ?? [];
if (unknown.length > 0) {
  console.error(`unknown drill ${unknown.join(', ')}; the drills are ${known.join(', ')}`);
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
const faults: string[] = [];

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
const rowOf = (name: string, log: WriteLog): readonly string[] => [
  name,
  ...[log.requests, log.refused, log.unanswered, log.wrong.length].map(String),
  ...[log.longestMs.refusal, log.longestMs.read, log.longestMs.change].map(seconds),
  ...[log.acknowledged, log.lost.length, log.doubled.length].map(String),
  `${log.suspended.accepted} of ${log.suspended.tried}`,
  String(log.stale),
];
const heads =
  'drill | requests | refused | no response | wrong | longest refusal, s | longest without a read, s | … without a change, s | changes acknowledged | lost | stored twice | accepted from suspended users | stale reads';

/** Runs those of the drills that were chosen. `reasonToSkip` is why one cannot run here. */
const runDrills = async <World extends Drilled & { readonly close: () => Promise<void> }>(
  command: string,
  open: () => Promise<World>,
  all: readonly Drill<World>[],
  describe: () => readonly string[],
  reasonToSkip: (drill: string, world: World) => string | undefined,
): Promise<void> => {
  const drills = all.filter(({ name }) => names?.includes(name) ?? true);
  if (drills.length === 0) return;
  const world = await open();
  const lines = [
    ...(await describeRun('the database, the instances and their clients', world.primary.url)),
    ...describe(),
  ];
  const rows: (readonly string[])[] = [];
  for (const drill of drills) {
    console.log(`${drill.name}: ${drill.does}`);
    const reason = reasonToSkip(drill.name, world);
    if (reason) {
      lines.push(`The drill “${drill.name}” was skipped: ${reason}.`);
      continue;
    }
    const log = await runDrill(world, drill, HOLD_SECONDS * 1000);
    faults.push(...faultsIn(log, drill).map((fault) => `${drill.name}: ${fault}`));
    rows.push(rowOf(drill.name, log));
  }
  await world.close();
  const kinds = drills.map(({ name, does, expects }) => [name, does, expects]);
  const result = [table('drill | what breaks | what to expect', kinds), table(heads, rows), list(lines)].join('\n\n');
  if (names) console.log(result);
  else publish('docs/drills.md', command, result);
};

if (first !== 'cluster')
  await runDrills(
    'npm run drill',
    openWorld,
    DRILLS,
    () => [],
    (drill, { disk }) => (drill === 'disk full' && !disk ? 'it mounts a small disk, which needs root' : undefined),
  );
const versions = Object.entries(PROGRAMS).map(([name, command]) => [name, versionOf(command)] as const);
const missing = versions.filter(([, version]) => !version).map(([name]) => name);
if (missing.length > 0) console.log(`The drills with a cluster were skipped: not installed: ${missing.join(', ')}.`);
else
  await runDrills(
    'npm run drill -- cluster',
    openCluster,
    CLUSTER_DRILLS,
    () => [`The cluster: ${versions.map((one) => one.join(' ')).join(', ')}`],
    (drill) => (drill === 'clock' && !versionOf('faketime --version') ? 'faketime is not installed' : undefined),
  );
for (const fault of faults) console.error(fault);
// Without it, Node may wait for ever for sockets that were reset while they hung (nodejs/node#54918).
process.exit(faults.length > 0 ? 1 : 0);
