// `npm run drill`: breaks the database, the network and the instances, one after the other, while clients log each acknowledged change.
// Prints what they saw, and writes it into docs/drills.md. With `quick`, it runs the drills of `npm test`; with names of drills, only
// those; then it writes nothing. Ends with exit status 1 if anything was lost, stored twice or wrong. Needs Linux.
import { describeRun, list, publish, table } from '../bench/report/markdown.ts';
import { DRILLS, faultsIn, QUICK, runDrill } from '../test-support/drills/drills.ts';
import { openWorld } from '../test-support/drills/world.ts';

const HOLD_SECONDS = 8;
const [first, ...others] = process.argv.slice(2);
const names = first === undefined ? DRILLS.map(({ name }) => name) : first === 'quick' ? QUICK : [first, ...others];
const drills = DRILLS.filter(({ name }) => names.includes(name));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
const world = await openWorld();
const lines = await describeRun('the database, the instances and their clients', world.primary.url);
const rows: string[][] = [];
const faults: string[] = [];
const skipped: string[] = [];
for (const drill of drills) {
  console.log(`${drill.name}: ${drill.does}`);
  if (drill.name === 'disk full' && !world.disk) {
    skipped.push('The drill “disk full” was skipped: it mounts a small disk, which needs root.');
    continue;
  }
  const log = await runDrill(world, drill, HOLD_SECONDS * 1000);
  faults.push(...faultsIn(log).map((fault) => `${drill.name}: ${fault}`));
  const { requests, refused, unanswered, wrong, longestMs, acknowledged, lost, doubled, suspended, stale } = log;
  const numbers = [requests, refused, unanswered, wrong.length].map(String);
  const gaps = [seconds(longestMs.read), seconds(longestMs.change)];
  const changes = [acknowledged, lost.length, doubled.length].map(String);
  const rights = `${suspended.accepted} of ${suspended.tried}`;
  rows.push([drill.name, ...numbers, ...gaps, ...changes, rights, String(stale)]);
}
await world.close();

const heads =
  'drill | requests | refused | no response | wrong | longest without a read, s | … without a change, s | changes acknowledged | lost | stored twice | accepted from suspended users | stale reads';
const result = [
  table(
    'drill | what breaks | what to expect',
    drills.map(({ name, does, expects }) => [name, does, expects]),
  ),
  table(heads, rows),
  list([...lines, ...skipped]),
].join('\n\n');
if (first === undefined) publish('docs/drills.md', 'npm run drill', result);
else console.log(result);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
