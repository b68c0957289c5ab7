// Sends the hostile requests of the tests to a service, measures how long each blocks its event loop, and writes the results
// into bench/RESULTS.md. BENCH=short: each request once, printed only.
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';
import type { ResponseJson } from '../test-support/client.ts';
import type { HostileRequest } from '../test-support/hostile-requests/hostile-input.ts';
import { bytesOf, type HostileTarget, hostileInputs } from '../test-support/hostile-requests/index.ts';
import { PASSWORD } from '../test-support/two-services.ts';
import { openDemo } from './demo.ts';
import { list, table, verdict, writeBetween } from './report/markdown.ts';
import { format } from './report/numbers.ts';

const isShort = process.env['BENCH'] === 'short';
const repetitions = isShort ? 1 : 5;
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

/** Sends a request and returns its response and how long it blocked the event loop. */
const sendAndMeasure = async (request: HostileRequest, target: Partial<HostileTarget> = {}) => {
  const sent = bytesOf(request, target);
  const response = await send(sent);
  const start = `\nblocked ${connections++} `;
  await service.printed(start);
  const [, printed] = service.output().split(start);
  if (!printed?.includes(';')) throw new Error(`the service ended during ${request.method} ${request.path}`);
  const [longestMs = 0, totalMs = 0] = printed.split(';', 1)[0]?.split(' ').map(Number) ?? [];
  return { bytes: sent.length, status: response.split(' ', 2)[1] ?? 'disconnected', response, longestMs, totalMs };
};

const read = async (request: HostileRequest, target?: Partial<HostileTarget>): Promise<ResponseJson> =>
  JSON.parse((await sendAndMeasure(request, target)).response.split('\r\n\r\n')[1] ?? '');

const logIn = async (username: string): Promise<string> => {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ username, password: PASSWORD });
  return (await read({ method: 'POST', path: '/api/auth/login/', headers, body })).access_token;
};

const tokens = { leader: await logIn('leader'), administrator: await logIn('admin') };
const { id: user } = await read({ method: 'GET', path: '/api/info/', as: 'leader' }, tokens);
const { division } = await read({ method: 'GET', path: '/api/users/{user}/', as: 'leader' }, { ...tokens, user });
const target = { ...tokens, user, division: division.id };

const measured: { readonly longestMs: number; readonly cells: readonly string[] }[] = [];
for (const { title, maxBytes, make } of hostileInputs) {
  const { headers, ...request } = make(maxBytes);
  // Each request comes from a different network, so that no login limit applies.
  const network = `10.${measured.length >> 8}.${measured.length & 255}.1`;
  const all: Awaited<ReturnType<typeof sendAndMeasure>>[] = [];
  for (let time = 0; time < repetitions; time++) {
    all.push(await sendAndMeasure({ ...request, headers: { 'X-Forwarded-For': network, ...headers } }, target));
  }
  const [longestMs, totalMs] = [
    Math.min(...all.map((one) => one.longestMs)),
    Math.min(...all.map((one) => one.totalMs)),
  ];
  const { bytes, status } = all[0] ?? { bytes: 0, status: '' };
  measured.push({ longestMs, cells: [title, String(bytes), status, format(longestMs), format(totalMs)] });
}
const slowest = measured.toSorted((one, other) => other.longestMs - one.longestMs).slice(0, SHOWN_REQUESTS);
const max = slowest[0]?.longestMs ?? Number.NaN;
const text = [
  list([...conditions, method]),
  `The longest time for which any of ${measured.length} requests blocks the event loop is ${format(max)} ms; at most ${MAX_BLOCK_MS} ms: ${verdict(max <= MAX_BLOCK_MS)}. The slowest:`,
  table(
    'request | bytes | status | longest block ms | total CPU ms',
    slowest.map(({ cells }) => cells),
  ),
].join('\n\n');
console.log(text);
if (!isShort) writeBetween('bench/RESULTS.md', 'npm run bench:corpus', text);
