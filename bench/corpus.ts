// Sends the hostile requests of the tests to a service, measures the CPU time of each and how it grows with the bytes, and writes
// the results into bench/RESULTS.md. BENCH=short: each request once, printed only.
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';
import { DEMO_PASSWORD as PASSWORD } from '../packages/app/src/database/demo-data.ts';
import { accessToken, clientOf } from '../test-support/client.ts';
import type { HostileRequest } from '../test-support/hostile-requests/hostile-input.ts';
import { bytesOf, type HostileTarget, hostileInputs } from '../test-support/hostile-requests/index.ts';
import { openDemo } from './demo.ts';
import { list, publish, table, verdict } from './report/markdown.ts';
import { format } from './report/numbers.ts';
import { isShort } from './settings.ts';

const repetitions = isShort() ? 1 : 5;
/** How long a request may hold the event loop at a time, in milliseconds (contract §1). All of its CPU time is an upper bound. */
const MAX_MS = 50;
/** The maximum ratio of CPU times for twice the bytes. Quadratic work has a ratio of 4. */
const MAX_GROWTH = 3;

await using stack = new AsyncDisposableStack();
const { conditions, serve } = await openDemo(stack, 'service, database and sender');
const service = await serve({ NODE_OPTIONS: `--import=${pathToFileURL('bench/corpus/preload.ts').href}` });

/** Writes a request and returns the response after the service has closed the connection. */
const send = (request: Buffer): Promise<string> =>
  new Promise((resolve) => {
    let response = '';
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => void socket.write(request));
    socket.setEncoding('utf8').on('data', (text: string) => (response += text));
    // The service disconnects clients that send too much. They get no response.
    socket.on('error', () => {});
    socket.on('close', () => resolve(response));
  });

let connections = 0;

/** Sends a request, and returns its size, the status, and the CPU time of the service in milliseconds. */
const sendAndMeasure = async (request: HostileRequest, target: HostileTarget) => {
  const sent = bytesOf(request, target);
  const response = await send(sent);
  const start = `\nused ${connections++} `;
  await service.printed(start);
  const [, printed] = service.output().split(start);
  if (!printed?.includes(';')) throw new Error(`the service ended during ${request.method} ${request.path}`);
  const status = response.split(' ', 2)[1] ?? 'disconnected';
  return { bytes: String(sent.length), status, cpuMs: Number.parseFloat(printed) };
};

// Another service with the same keys, because only one connection at a time can be measured.
const { url } = await serve({});
const [leader, administrator] = [await accessToken(url, 'leader', PASSWORD), await accessToken(url, 'admin', PASSWORD)];
const get = async (path: string) => (await clientOf(url, leader)('GET', path)).body;
const { id: user } = await get('/api/info/');
const target = { leader, administrator, user, division: (await get(`/api/users/${user}/`)).division.id };

const measured: { readonly cpuMs: number; readonly growth: number; readonly cells: readonly string[] }[] = [];
for (const { title, maxBytes, make } of hostileInputs) {
  // Each input comes from a different network, so that no login limit applies.
  const network = `10.${measured.length >> 8}.${measured.length & 255}.1`;
  const measure = (bytes: number) => {
    const { headers, ...request } = make(bytes);
    return sendAndMeasure({ ...request, headers: { 'X-Forwarded-For': network, ...headers } }, target);
  };
  let [halfMs, cpuMs, cells] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, [title]];
  for (let time = 0; time < repetitions; time++) {
    halfMs = Math.min(halfMs, (await measure(maxBytes / 2)).cpuMs);
    const one = await measure(maxBytes);
    cpuMs = Math.min(cpuMs, one.cpuMs);
    cells = [title, one.bytes, one.status, format(cpuMs), format(cpuMs / halfMs)];
  }
  measured.push({ cpuMs, growth: cpuMs / halfMs, cells });
}
const slowest = measured.toSorted((one, other) => other.cpuMs - one.cpuMs);
const [max, growth] = [slowest[0]?.cpuMs ?? Number.NaN, Math.max(...measured.map((one) => one.growth))];
const rows = slowest.slice(0, 10).map(({ cells }) => cells);
const text = [
  list([...conditions, `one request at a time, each ${repetitions} times, of which the shortest is reported`]),
  `Each of ${measured.length} requests takes at most ${format(max)} ms of CPU time in all, so it holds the event loop for no longer; at most ${MAX_MS} ms: ${verdict(max <= MAX_MS)}. For twice the bytes, a request takes at most ${format(growth)} times as long; at most ${MAX_GROWTH}: ${verdict(growth <= MAX_GROWTH)}. The longest:`,
  table('request | bytes | status | CPU time, ms | ÷ that of half the bytes', rows),
].join('\n\n');
publish('bench/RESULTS.md', 'npm run bench:corpus', text);
