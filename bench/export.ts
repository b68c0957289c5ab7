// Measures how CSV exports and statistics of large divisions affect other requests and the memory of the service, and writes the
// results into docs/performance.md. Fails if a limit is exceeded. BENCH=short: little data, printed only, without limits.
import { fillActivity } from '../test-support/lists/fill.ts';
import { timesAtRate } from './load.ts';
import { runChapter, watchMemory } from './processes.ts';
import { describeRun, list, publish, table } from './report/markdown.ts';
import { format, median, percentiles } from './report/numbers.ts';
import { SERVICE } from './server.ts';
import { isShort } from './settings.ts';
import { openSetup } from './setup.ts';

const [members, others, SECONDS] = isShort() ? [2000, 600, 1] : [1_000_000, 10_000, 20];
/** Requests per second: far below what the service can serve, so that requests do not wait for each other. */
const [RATE, CALLERS] = [100, 32];
const [MAX_P99_RATIO, MAX_MEMORY_MIB] = [2, 60];

await using stack = new AsyncDisposableStack();
const population = { layout: 'one', members, others, smaller: [members / 10] } as const;
const { databaseUrl, start, world } = await openSetup(population, stack);
await fillActivity(databaseUrl);
const service = await start(SERVICE);
const [exporter, smaller] = [world.deepStaff[0], world.staff.find((caller) => caller.members.length > 100)];

const requests = world.staff.slice(0, CALLERS).flatMap(({ id, token }) => [
  { method: 'GET' as const, path: `/api/users/${id}/`, token },
  { method: 'GET' as const, path: '/api/users/', token },
]);
const measure = async () => percentiles(await timesAtRate(service.url, requests, RATE, SECONDS));

/** Reads a response and returns the seconds. @throws Error if it has another status or is not whole. */
const read = async (path: string, caller: typeof exporter, expected: number): Promise<number> => {
  const began = performance.now();
  const headers = { authorization: `Bearer ${caller?.token}`, accept: 'text/csv' };
  const { body, status } = await fetch(service.url + path, { headers });
  let lines = 0;
  for await (const chunk of body ?? []) lines += Buffer.from(chunk).toString('latin1').split('\n').length - 1;
  const isWhole = lines === (path.startsWith('/api/users/') ? members + 1 : 0);
  if (status !== expected || !isWhole) throw new Error(`${path} returned ${status} and ${lines} lines`);
  return (performance.now() - began) / 1000;
};

const run = await describeRun('service, database and clients', databaseUrl);
const data = `${members.toLocaleString('en')} members in one division, a tenth in another; ${RATE} requests per second of others`;
await measure();
const usual = await measure();
const rows = [['nothing else', '', usual.p50.toFixed(1), usual.p99.toFixed(1), '', '']];
const misses: string[] = [];
const statistics = (caller: typeof exporter) => `/api/divisions/${caller?.divisionId}/statistics/`;
for (const [name, path, caller, status] of [
  ['export of `/api/users/`', '/api/users/', exporter, 200],
  ['export of `/api/users/?ordering=-groups,last_name`', '/api/users/?ordering=-groups,last_name', exporter, 200],
  ['statistics of the smaller division', statistics(smaller), smaller, 200],
  ['statistics of the larger division, refused', statistics(exporter), exporter, isShort() ? 200 : 422],
] as const) {
  const stopWatching = watchMemory(service.pid);
  const durations: number[] = [];
  const isOver = new AbortController();
  const measuring = measure().finally(() => isOver.abort());
  while (!isOver.signal.aborted) durations.push(await read(path, caller, status));
  const { p50, p99 } = await measuring;
  const { first, greatest } = stopWatching();
  const [ratio, added] = [p99 / usual.p99, greatest - first];
  rows.push([name, format(median(durations)), p50.toFixed(1), p99.toFixed(1), ratio.toFixed(2), added.toFixed(0)]);
  if (ratio > MAX_P99_RATIO) misses.push(`${name}: p99 is more than ${MAX_P99_RATIO} times the usual`);
  if (added >= MAX_MEMORY_MIB) misses.push(`${name}: ${MAX_MEMORY_MIB} MiB or more`);
}
const { seconds } = await runChapter(['statistics'], databaseUrl);
rows.push(['nothing, `chapter statistics` of all divisions alone', format(seconds), '', '', '', '']);
const head = 'during | seconds | p50, ms | p99, ms | p99 ÷ usual | more memory, MiB';
publish('docs/performance.md', 'npm run bench:export', `${list([...run, data])}\n\n${table(head, rows)}`);
if (misses.length > 0 && !isShort()) throw new Error(misses.join('\n'));
