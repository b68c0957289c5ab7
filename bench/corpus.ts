// Sends the hostile requests of the tests to a service, measures how long each blocks its event loop, and writes the results
// into bench/RESULTS.md. BENCH=short: each request once, printed only.
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
/** How long a request may block the event loop without interruption, in milliseconds (contract §1). */
const MAX_BLOCK_MS = 50;
const SHOWN_REQUESTS = 10;

await using stack = new AsyncDisposableStack();
const { conditions, serve } = await openDemo(stack, 'service, database and sender');
const service = await serve({ NODE_OPTIONS: `--import=${pathToFileURL('bench/corpus/preload.ts').href}` });
const method = `one request at a time, each ${repetitions} times, of which the shortest is reported`;

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

/** Sends a request, and returns its size, the status, and how many milliseconds it blocked the event loop. */
const sendAndMeasure = async (request: HostileRequest, target: HostileTarget) => {
  const sent = bytesOf(request, target);
  const response = await send(sent);
  const start = `\nblocked ${connections++} `;
  await service.printed(start);
  const [, printed] = service.output().split(start);
  if (!printed?.includes(';')) throw new Error(`the service ended during ${request.method} ${request.path}`);
  const status = response.split(' ', 2)[1] ?? 'disconnected';
  return { bytes: String(sent.length), status, blockMs: Number.parseFloat(printed) };
};

// Another service with the same keys, because only one connection at a time can be measured.
const { url } = await serve({});
const [leader, administrator] = [await accessToken(url, 'leader', PASSWORD), await accessToken(url, 'admin', PASSWORD)];
const get = async (path: string) => (await clientOf(url, leader)('GET', path)).body;
const { id: user } = await get('/api/info/');
const target = { leader, administrator, user, division: (await get(`/api/users/${user}/`)).division.id };

const measured: { readonly blockMs: number; readonly cells: readonly string[] }[] = [];
for (const { title, maxBytes, make } of hostileInputs) {
  const { headers, ...request } = make(maxBytes);
  // Each request comes from a different network, so that no login limit applies.
  const network = `10.${measured.length >> 8}.${measured.length & 255}.1`;
  let [blockMs, cells] = [Number.POSITIVE_INFINITY, [title]];
  for (let time = 0; time < repetitions; time++) {
    const one = await sendAndMeasure({ ...request, headers: { 'X-Forwarded-For': network, ...headers } }, target);
    blockMs = Math.min(blockMs, one.blockMs);
    cells = [title, one.bytes, one.status, format(blockMs)];
  }
  measured.push({ blockMs, cells });
}
const slowest = measured.toSorted((one, other) => other.blockMs - one.blockMs).slice(0, SHOWN_REQUESTS);
const rows = slowest.map(({ cells }) => cells);
const max = slowest[0]?.blockMs ?? Number.NaN;
const text = [
  list([...conditions, method]),
  `The longest time for which any of ${measured.length} requests blocks the event loop is ${format(max)} ms; at most ${MAX_BLOCK_MS} ms: ${verdict(max <= MAX_BLOCK_MS)}. The slowest:`,
  table('request | bytes | status | longest block ms', rows),
].join('\n\n');
publish('bench/RESULTS.md', 'npm run bench:corpus', text);
