// Measures how CSV exports of a large division affect other requests and the memory of the service, and writes the results into
// docs/performance.md. Fails if a limit is exceeded. BENCH=short: few members and requests, printed only, without limits.
import { timesAtRate } from './load.ts';
import { watchMemory } from './processes.ts';
import { describeRun, list, publish, table } from './report/markdown.ts';
import { percentiles } from './report/numbers.ts';
import { SERVICE } from './server.ts';
import { isShort } from './settings.ts';
import { openSetup } from './setup.ts';

const [members, others, SECONDS] = isShort() ? [2000, 500, 1] : [1_000_000, 10_000, 20];
/** Requests per second: far below what the service can serve, so that requests do not wait for each other. */
const RATE = 100;
const CALLERS = 32;
const MAX_P99_RATIO = 2;
const MAX_MEMORY_MIB = 60;

await using stack = new AsyncDisposableStack();
const { databaseUrl, start, world } = await openSetup({ layout: 'one', members, others }, stack);
const service = await start(SERVICE);
const [exporter] = world.deepStaff;

const requests = world.staff.slice(0, CALLERS).flatMap(({ id, token }) => [
  { method: 'GET' as const, path: `/api/users/${id}/`, token },
  { method: 'GET' as const, path: '/api/users/', token },
]);
const measure = async () => percentiles(await timesAtRate(service.url, requests, RATE, SECONDS));

/** Downloads the list as CSV and returns the seconds. @throws Error if it does not list all members. */
const download = async (query: string): Promise<number> => {
  const began = performance.now();
  const headers = { authorization: `Bearer ${exporter?.token}`, accept: 'text/csv' };
  const { body } = await fetch(`${service.url}/api/users/${query}`, { headers });
  let lines = 0;
  for await (const chunk of body ?? []) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  if (lines !== members + 1) throw new Error('the export is incomplete');
  return (performance.now() - began) / 1000;
};

const run = [
  ...(await describeRun('service, database and clients', databaseUrl)),
  `${members.toLocaleString('en')} members in one division; ${RATE} requests per second of users of other divisions`,
];
await measure();
const usual = await measure();
const rows = [['no export', '', usual.p50.toFixed(1), usual.p99.toFixed(1), '', '']];
const misses: string[] = [];
for (const query of ['', '?ordering=-groups,last_name']) {
  const stopWatching = watchMemory(service.pid);
  const durations: number[] = [];
  const isOver = new AbortController();
  const measuring = measure().finally(() => isOver.abort());
  while (!isOver.signal.aborted) durations.push(await download(query));
  const { p50, p99 } = await measuring;
  const { first, greatest } = stopWatching();
  const [ratio, added] = [p99 / usual.p99, greatest - first];
  const cells = [Math.max(...durations), p50, p99].map((value) => value.toFixed(1));
  rows.push([`export of \`/api/users/${query}\``, ...cells, ratio.toFixed(2), added.toFixed(0)]);
  if (ratio > MAX_P99_RATIO) misses.push(`${query}: p99 is more than ${MAX_P99_RATIO} times the usual`);
  if (added >= MAX_MEMORY_MIB) misses.push(`${query}: ${MAX_MEMORY_MIB} MiB or more`);
}
const head = 'during | seconds | p50, ms | p99, ms | p99 ÷ usual | more memory, MiB';
publish('docs/performance.md', 'npm run bench:export', `${list(run)}\n\n${table(head, rows)}`);
if (misses.length > 0 && !isShort()) throw new Error(misses.join('\n'));
