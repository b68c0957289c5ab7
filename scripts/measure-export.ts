// Measures how a CSV export of a large division affects other requests and the memory of the service. Prints the results. The
// arguments are the number of members (default 1,000,000) and the seconds of each measurement (default 20).

import { putLoad } from '../bench/load.ts';
import { kibibytesOf } from '../bench/processes.ts';
import { list } from '../bench/report/markdown.ts';
import { percentiles } from '../bench/report/numbers.ts';
import { readSettings } from '../bench/settings.ts';
import { openSetup } from '../bench/setup.ts';

const members = Number(process.argv[2] ?? 1_000_000);
const SECONDS = Number(process.argv[3] ?? 20);
const CONNECTIONS = 8;
/** Requests per second: far below what the service can serve, so that requests do not wait for each other. */
const RATE = 100;
const SAMPLE_INTERVAL_MS = 20;

await using stack = new AsyncDisposableStack();
const settings = { ...readSettings({}), population: { layout: 'one' as const, members, others: 10_000 } };
const { start, world } = await openSetup(settings, stack);
const service = await start('service');
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
  return { ...percentiles(latencies), errors };
};

const memory = (): number => kibibytesOf(service.pid, 'VmRSS') / 1024;

/** Downloads the list as CSV and returns the number of lines, bytes and seconds. */
const download = async (query: string) => {
  const began = performance.now();
  const headers = { authorization: `Bearer ${exporter.token}`, accept: 'text/csv' };
  const response = await fetch(`${service.url}/api/users/${query}`, { headers });
  if (!response.ok || !response.body) throw new Error(`the export returned ${response.status}`);
  let [lines, bytes] = [0, 0];
  for await (const chunk of response.body) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return { lines, bytes, seconds: (performance.now() - began) / 1000 };
};

const describe = ({ p50, p99, errors }: { p50: number; p99: number; errors: number }): string =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${errors} errors`;

await measure();
const usual = await measure();
console.log(
  list([`${members.toLocaleString('en')} members; ${RATE} requests per second for users of other divisions`]),
);
console.log(list([`without an export: ${describe(usual)}; ${memory().toFixed(0)} MiB`]));
for (const query of ['', '?ordering=-groups,last_name']) {
  const before = memory();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memory());
  }, SAMPLE_INTERVAL_MS);
  const isOver = new AbortController();
  const exports = (async () => {
    const done = [];
    while (!isOver.signal.aborted) done.push(await download(query));
    return done;
  })();
  const during = await measure();
  isOver.abort();
  const done = await exports;
  clearInterval(sampling);
  const [first] = done;
  if (done.some(({ lines }) => lines !== members + 1)) throw new Error('an export lacks lines');
  const seconds = Math.max(...done.map((one) => one.seconds)).toFixed(1);
  const megabytes = ((first?.bytes ?? 0) / 1e6).toFixed(0);
  console.log(list([`during exports of \`${query}\` (${seconds} s, ${megabytes} MB each): ${describe(during)}`]));
  console.log(
    list([
      `p99 ${(during.p99 / usual.p99).toFixed(2)} times as long; memory at most ${(peak - before).toFixed(0)} MiB more`,
    ]),
  );
}
