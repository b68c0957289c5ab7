// Measures what busy callers take from others: the durations of logins and reads meanwhile, and how many creations succeed with many
// clients. Prints the results, and fails if a goal is missed. The argument is the seconds of each load (default 10).
import { randomBytes, scryptSync } from 'node:crypto';
import { accessToken, clientOf } from '../test-support/client.ts';
import { PASSWORD } from '../test-support/two-services.ts';
import { openDemo } from './demo.ts';
import type { LoadRequest } from './kinds.ts';
import { putLoad } from './load.ts';
import { list, table, verdict } from './report/markdown.ts';
import { format, median, percentiles } from './report/numbers.ts';

const SECONDS = Number(process.argv[2] ?? 10);
const SCRYPT = { N: 2 ** 14, r: 8, p: 5, maxmem: 2 ** 26 };
/** The numbers of clients that create users, and how many creations succeed with many, compared with the fewest. */
const CLIENTS = [8, 200, 1000];
const MIN_GOODPUT_RATIO = 0.8;
/** How much longer the median of reads takes during a load: as long as one request may hold the event loop (contract §1). */
const MAX_READ_DELAY_MS = 50;

await using stack = new AsyncDisposableStack();
const { conditions, serve } = await openDemo(stack, 'services, database and clients');
const { url } = await serve({ CHANGES_PER_HOUR: '0', SCRYPT_LOG_N: '14', SCRYPT_P: '5' });
const { url: cheapUrl } = await serve({ CHANGES_PER_HOUR: '0' });
const token = await accessToken(url, 'leader', PASSWORD);
const leader = clientOf(url, token);
const members = ['ada', 'bea', 'cy'];
for (const username of members) await leader('POST', '/api/users/', { username, password: PASSWORD });
const { id } = (await leader('GET', '/api/info/')).body;
const misses: string[] = [];
const check = (what: string, isReached: boolean): string => {
  if (!isReached) misses.push(what);
  return verdict(isReached);
};

/** Sends the same kind of request on a number of connections. */
const load = (connections: number, request: (at: number) => LoadRequest, at = url) =>
  putLoad(at, {
    connections,
    seconds: SECONDS,
    requests: Array.from({ length: connections }, (_, nth) => request(nth)),
  });
const post = (path: string, body: object): LoadRequest => ({ method: 'POST', path, body: JSON.stringify(body) });
const creation = (username: string) => ({ ...post('/api/users/', { username, password: PASSWORD }), token });
const login = (username: string) => post('/api/auth/login/', { username, password: PASSWORD });

/** Repeats a request for some seconds, and returns the durations in milliseconds. @throws Error if one fails. */
const timesOf = async (send: (at: number) => Promise<{ readonly status: number }>, seconds: number) => {
  const times: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const began = performance.now();
    const { status } = await send(times.length);
    if (status !== 200) throw new Error(`a request of another caller returned ${status}`);
    times.push(performance.now() - began);
  }
  return times;
};
// Different users, because one who has just been served has no right to be next.
const others = ['guest', 'user', 'admin', 'leader.south'];
const logIn = (at: number) =>
  clientOf(url)('POST', '/api/auth/login/', { username: others[at % others.length], password: PASSWORD });
const other = clientOf(url, await accessToken(url, 'user', PASSWORD));
const read = () => other('GET', '/api/info/');

const HASHES = 5;
const began = performance.now();
for (let at = 0; at < HASHES; at++) scryptSync(PASSWORD, randomBytes(32), 64, SCRYPT);
const hash = (performance.now() - began) / HASHES;
const [usualLogin, usualRead] = [median(await timesOf(logIn, SECONDS)), percentiles(await timesOf(read, SECONDS))];
const maxLogin = 2 * usualLogin + hash;
const rows = [['no load', '', format(usualLogin), '', '', format(usualRead.p50), '', format(usualRead.p99)]];
const rename: LoadRequest = { method: 'PATCH', path: `/api/users/${id}`, token, body: '{"first_name":"{n}"}' };
const refresh = post('/api/auth/tokens/', { refresh_token: '{n}' });
for (const [what, connections, request] of [
  ['one Leader creates users in 100 loops', 100, () => creation('{n}')],
  ['one Leader creates the same user in 100 loops', 100, () => creation('guest')],
  ['three members log in in ten loops each', 30, (at: number) => login(members[at % 3] ?? '')],
  ['200 connections send unknown refresh tokens', 200, () => refresh],
  ['one member changes themself in 200 loops', 200, () => rename],
] as const) {
  const running = load(connections, request);
  // The first of the others also wait for callers who came just before them and have had no turn yet.
  await timesOf(logIn, SECONDS * 0.1);
  // One after the other, because a loop of reads takes a processor from the hashes. Both end before the load.
  const logins = await timesOf(logIn, SECONDS * 0.5);
  const reads = percentiles(await timesOf(read, SECONDS * 0.3));
  const { requests, errors } = await running;
  const longest = Math.max(...logins);
  rows.push([
    what,
    `${requests - errors} of ${requests}`,
    format(median(logins)),
    format(longest),
    check(`${what}: logins`, longest <= maxLogin),
    format(reads.p50),
    check(`${what}: reads`, reads.p50 <= usualRead.p50 + MAX_READ_DELAY_MS),
    format(reads.p99),
  ]);
  console.error(`${what}: measured`);
}
const rates: number[] = [];
// The first load warms up.
for (const clients of [8, ...CLIENTS]) {
  const { requests, errors, seconds } = await load(clients, () => creation('{n}'), cheapUrl);
  rates.push((requests - errors) / seconds);
}
const [, fewest = 0, ...more] = rates;
const goodput = [fewest, ...more].map((rate, at) => {
  const isReached = check(`${CLIENTS[at]} clients create`, rate >= MIN_GOODPUT_RATIO * fewest);
  return [String(CLIENTS[at]), format(rate), isReached];
});
const limits = [`≤ ${format(maxLogin)}`, `≤ usual + ${MAX_READ_DELAY_MS}`];
const heads = `load | succeeded | login p50, ms | longest, ms | ${limits[0]} | read p50, ms | ${limits[1]} | p99, ms`;
const goodputHeads = `clients | creations per second | ≥ ${MIN_GOODPUT_RATIO} × those with ${CLIENTS[0]}`;
console.log([list(conditions), table(heads, rows), table(goodputHeads, goodput)].join('\n\n'));
if (misses.length > 0) throw new Error(`missed goals: ${misses.join('; ')}`);
