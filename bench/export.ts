// Measures how CSV exports of a large division affect other requests and the memory of the service. Prints the results, and
// writes those of a million members to docs/performance.md. Fails if a limit is exceeded. The arguments are the number of
// members (default 1,000,000) and the seconds of each measurement (default 20).

import { putLoad } from './load.ts';
import { kibibytesOf } from './processes.ts';
import { describeRun, list, table, writeBetween } from './report/markdown.ts';
import { percentiles } from './report/numbers.ts';
import { SERVICE } from './server.ts';
import { readSettings } from './settings.ts';
import { openSetup } from './setup.ts';

const DEFAULT_MEMBERS = 1_000_000;
const members = Number(process.argv[2] ?? DEFAULT_MEMBERS);
const SECONDS = Number(process.argv[3] ?? 20);
const CONNECTIONS = 8;
/** Requests per second: far below what the service can serve, so that requests do not wait for each other. */
const RATE = 100;
const SAMPLE_INTERVAL_MS = 20;
const MAX_P99_RATIO = 2;
const MAX_MEMORY_MIB = 60;

await using stack = new AsyncDisposableStack();
const settings = { ...readSettings({}), population: { layout: 'one' as const, members, others: 10_000 } };
const { start, versions, world } = await openSetup(settings, stack);
const service = await start(SERVICE);
const [exporter] = world.deepStaff;
if (!exporter) throw new Error('the large division has no Leader');

const requests = world.staff.slice(0, CONNECTIONS * 4).flatMap(({ id, token }) => [
  { method: 'GET' as const, path: `/api/users/${id}/`, token },
  { method: 'GET' as const, path: '/api/users/', token },
]);
const load = { requests, connections: CONNECTIONS, seconds: SECONDS, rate: RATE };

/** Puts the load on the service. The service need not be idle before, because an export may be running. */
const measure = async () => {
  const { latencies, errors } = await putLoad(service.url, load);
  if (errors > 0) throw new Error('a request failed');
  return percentiles(latencies);
};

const memory = (): number => kibibytesOf(service.pid, 'VmRSS') / 1024;

/** Downloads the list as CSV and returns the seconds. @throws Error if it does not list all members. */
const download = async (query: string) => {
  const began = performance.now();
  const headers = { authorization: `Bearer ${exporter.token}`, accept: 'text/csv' };
  const response = await fetch(`${service.url}/api/users/${query}`, { headers });
  if (!response.ok || !response.body) throw new Error(`the export returned ${response.status}`);
  let lines = 0;
  for await (const chunk of response.body) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  if (lines !== members + 1) throw new Error('the export is incomplete');
  return (performance.now() - began) / 1000;
};

const run = [
  ...describeRun('service, database and clients', versions),
  `${members.toLocaleString('en')} members in one division; ${RATE} requests per second of users of other divisions`,
];
await measure();
const usual = await measure();
const rows = [['no export', '', usual.p50.toFixed(1), usual.p99.toFixed(1), '', '']];
const misses: string[] = [];
for (const query of ['', '?ordering=-groups,last_name']) {
  const before = memory();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memory());
  }, SAMPLE_INTERVAL_MS);
  const isOver = new AbortController();
  const exports = (async () => {
    const durations = [];
    while (!isOver.signal.aborted) durations.push(await download(query));
    return Math.max(...durations);
  })();
  const during = await measure();
  isOver.abort();
  const seconds = await exports;
  clearInterval(sampling);
  const [ratio, added] = [during.p99 / usual.p99, peak - before];
  const cells = [seconds, during.p50, during.p99].map((value) => value.toFixed(1));
  rows.push([`export of \`/api/users/${query}\``, ...cells, ratio.toFixed(2), added.toFixed(0)]);
  if (ratio > MAX_P99_RATIO) misses.push(`${query}: p99 is more than ${MAX_P99_RATIO} times the usual`);
  if (added >= MAX_MEMORY_MIB) misses.push(`${query}: ${MAX_MEMORY_MIB} MiB or more`);
}
const head = 'during | seconds | p50, ms | p99, ms | p99 ÷ usual | more memory, MiB';
const text = `${list(run)}\n\n${table(head, rows)}`;
console.log(text);
if (members === DEFAULT_MEMBERS) writeBetween('docs/performance.md', 'npm run bench:export', text);
if (misses.length > 0) throw new Error(misses.join('\n'));
