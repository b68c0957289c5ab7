// Measures what busy callers take from others: the durations of logins and reads meanwhile, and how many creations succeed with many
// clients. Writes the results into docs/performance.md, and fails if a goal is missed. BENCH=short: loads of a second, without goals.
import { DEMO_PASSWORD } from '../packages/app/src/database/demo-data.ts';
import { accessToken, clientOf } from '../test-support/client.ts';
import { openDemo } from './demo.ts';
import type { LoadRequest } from './kinds.ts';
import { atRate, putLoad, send } from './load.ts';
import { list, publish, table } from './report/markdown.ts';
import { format, median, percentiles } from './report/numbers.ts';
import { isShort } from './settings.ts';

const [SECONDS, TURNS] = isShort() ? [1, 1] : [10, 3];
/** The numbers of clients that create users as fast as they can, in turns. */
const CLIENTS = [8, 40, 200, 1000];
/** How many times as many creations as succeed are then sent at equal intervals, without waiting for responses. */
const EXCESS = 5;
/** How many must succeed, compared with the fewest clients, and the p99 of refusals, as the client sees it. */
const [MIN_RATIO, MAX_REFUSAL_MS] = [0.8, 50];
/** How much longer the median of reads takes during a load: as long as one request may hold the event loop (contract §1). */
const MAX_READ_DELAY_MS = 50;

await using stack = new AsyncDisposableStack();
const { conditions, serve } = await openDemo(stack, 'services, database and clients');
const { url } = await serve({ CHANGES_PER_HOUR: '0', SCRYPT_LOG_N: '14', SCRYPT_P: '5' });
const { url: cheapUrl } = await serve({ CHANGES_PER_HOUR: '0' });
const token = await accessToken(url, 'leader', DEMO_PASSWORD);
const leader = clientOf(url, token);
const members = ['ada', 'bea', 'cy'];
for (const username of members) await leader('POST', '/api/users/', { username, password: DEMO_PASSWORD });
const { id } = (await leader('GET', '/api/info/')).body;
const misses: string[] = [];

/** Sends requests in turn on a number of connections. */
const load = (connections: number, requests: readonly LoadRequest[], to = url) => {
  const sent = Array.from({ length: connections }, (_, at) => requests[at % requests.length] as LoadRequest);
  return putLoad(to, { connections, seconds: SECONDS, requests: sent });
};
const post = (path: string, body: object): LoadRequest => ({ method: 'POST', path, body: JSON.stringify(body) });
const creation = (username: string) => ({ ...post('/api/users/', { username, password: DEMO_PASSWORD }), token });
const login = (username: string) => post('/api/auth/login/', { username, password: DEMO_PASSWORD });

/** Sends requests in turn for some seconds, and returns the durations in milliseconds. @throws Error if one fails. */
const timesOf = async (requests: readonly LoadRequest[], seconds: number) => {
  const times: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const { status, milliseconds } = await send(url, requests[times.length % requests.length] as LoadRequest);
    if (status !== 200) throw new Error(`a request of another caller returned ${status}`);
    times.push(milliseconds);
  }
  return times;
};
// Different users, because one who has just been served has no right to be next.
const logIns = ['guest', 'user', 'admin', 'leader.south'].map(login);
const reader = await accessToken(url, 'user', DEMO_PASSWORD);
const reads: readonly LoadRequest[] = [{ method: 'GET', path: '/api/info/', token: reader }];

const [usualLogin, usualRead] = [median(await timesOf(logIns, SECONDS)), percentiles(await timesOf(reads, SECONDS))];
// Twice the usual time and a hash, which is what a login takes longer than a read.
const maxLogin = 2 * usualLogin + (usualLogin - usualRead.p50);
const maxRead = usualRead.p50 + MAX_READ_DELAY_MS;
const rows = [['no load', '', format(usualLogin), '', format(usualRead.p50), format(usualRead.p99)]];
const readers = await Promise.all(members.map((username) => accessToken(url, username, DEMO_PASSWORD)));
const storm = readers.map((token): LoadRequest => ({ method: 'GET', path: '/api/auth/user/', token }));
const rename: LoadRequest = { method: 'PATCH', path: `/api/users/${id}`, token, body: '{"first_name":"{n}"}' };
for (const [what, connections, sent] of [
  ['one Leader creates users in 100 loops', 100, [creation('{n}')]],
  ['one Leader creates the same user in 100 loops', 100, [creation('guest')]],
  ['three members log in in ten loops each', 30, members.map(login)],
  ['200 connections send unknown refresh tokens', 200, [post('/api/auth/tokens/', { refresh_token: '{n}' })]],
  ['one member changes themself in 200 loops', 200, [rename]],
  ['three members read in 200 loops together', 200, storm],
] as const) {
  const running = load(connections, sent);
  // The first of the others also wait for callers who came just before them and have had no turn yet.
  await timesOf(logIns, SECONDS * 0.1);
  // One after the other, because a loop of reads takes a processor from the hashes. Both end before the load.
  const logins = await timesOf(logIns, SECONDS * 0.5);
  const { p50, p99 } = percentiles(await timesOf(reads, SECONDS * 0.3));
  const { requests, errors } = await running;
  const times = [median(logins), Math.max(...logins), p50, p99].map(format);
  rows.push([what, `${requests - errors} of ${requests}`, ...times]);
  const isSlow = sent === storm && median(logins) > 2 * usualLogin;
  if (isSlow || Math.max(...logins) > maxLogin) misses.push(`${what}: logins`);
  if (p50 > maxRead) misses.push(`${what}: reads`);
}
/** Lets numbers of clients create users, in turns. Returns how many each number created per second. */
const create = async (to: string): Promise<number[]> => {
  await load(CLIENTS[0] as number, [creation('{n}')], to); // Warms up.
  const rates = CLIENTS.map((): number[] => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [at, clients] of CLIENTS.entries()) {
      const { requests, errors, seconds } = await load(clients, [creation('{n}')], to);
      rates[at]?.push((requests - errors) / seconds);
    }
  }
  return rates.map(median);
};
const [cheap, usual] = [await create(cheapUrl), await create(url)];
const creations = Object.entries({ cheap, 'as in PROD': usual }).flatMap(([hashes, rates]) =>
  rates.map((rate, at) => {
    const ratio = rate / (rates[0] as number);
    if (ratio < MIN_RATIO) misses.push(`${CLIENTS[at]} clients create users, hashes ${hashes}`);
    return [hashes, String(CLIENTS[at]), format(rate), format(ratio)];
  }),
);
const capacity = usual[0] as number;
let goodput = 0;
const refusals: number[] = [];
const end = performance.now() + 1000 * SECONDS;
await atRate(EXCESS * capacity, SECONDS, async (at) => {
  const { status, milliseconds } = await send(url, creation(`excess.${at}`));
  if (status !== 201) refusals.push(milliseconds);
  else if (performance.now() < end) goodput += 1 / SECONDS;
});
const { p50, p99 } = percentiles(refusals);
if (goodput < MIN_RATIO * capacity) misses.push('excessive creations: successes');
if (!(p99 <= MAX_REFUSAL_MS)) misses.push('excessive creations: refusals');
const goals = [
  `goals during a load: longest login ≤ ${format(maxLogin)} ms, p50 of logins beside readers ≤ ${format(2 * usualLogin)} ms, p50 of reads ≤ ${format(maxRead)} ms`,
  `goals of creations: ≥ ${MIN_RATIO} × those of ${CLIENTS[0]} clients; of refusals: p99 ≤ ${MAX_REFUSAL_MS} ms`,
  ...(misses.length > 0 ? misses.map((miss) => `missed: ${miss}`) : ['no goal was missed']),
];
const text = [
  list([...conditions, ...goals]),
  table('load | succeeded | login p50, ms | longest, ms | read p50, ms | p99, ms', rows),
  table('hashes | clients that create users | created per second | ratio to 8 clients', creations),
  `${format(EXCESS * capacity)} creations per second, with hashes as in PROD: ${format(goodput)} per second succeeded, ${refusals.length} ` +
    `were refused, p50 ${format(p50)} ms, p99 ${format(p99)} ms.`,
];
publish('docs/performance.md', 'npm run bench:fairness', text.join('\n\n'));
if (misses.length > 0 && !isShort()) throw new Error('missed goals');
