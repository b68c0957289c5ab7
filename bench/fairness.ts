// Measures what busy callers take from others: the durations of logins and reads meanwhile, and how many creations succeed with many
// clients. Writes the results into docs/performance.md, and fails if a goal is missed. BENCH=short: loads of a second, without goals.
import { accessToken, clientOf } from '../test-support/client.ts';
import { PASSWORD } from '../test-support/two-services.ts';
import { openDemo } from './demo.ts';
import type { LoadRequest } from './kinds.ts';
import { putLoad, send } from './load.ts';
import { list, publish, table } from './report/markdown.ts';
import { format, median, percentiles } from './report/numbers.ts';
import { isShort } from './settings.ts';

const SECONDS = isShort() ? 1 : 10;
/** The numbers of clients that create users as fast as they can, and those that send five times what the service can serve. */
const [FEW, ...MANY] = [8, 40, 1000];
const EXCESSIVE = { clients: 2000, factor: 5 };
/** How many creations succeed with many, compared with few. */
const MIN_GOODPUT_RATIO = 0.8;
/** The p99 of refusals in milliseconds, as the client sees it. */
const MAX_REFUSAL_MS = 50;
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

/** Sends requests in turn on a number of connections. */
const load = (connections: number, requests: readonly LoadRequest[], to = url, rate?: number) => {
  const sent = Array.from({ length: connections }, (_, at) => requests[at % requests.length] as LoadRequest);
  return putLoad(to, { connections, rate, seconds: SECONDS, requests: sent });
};
const post = (path: string, body: object): LoadRequest => ({ method: 'POST', path, body: JSON.stringify(body) });
const creation = (username: string) => ({ ...post('/api/users/', { username, password: PASSWORD }), token });
const login = (username: string) => post('/api/auth/login/', { username, password: PASSWORD });

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
const reader = await accessToken(url, 'user', PASSWORD);
const reads: readonly LoadRequest[] = [{ method: 'GET', path: '/api/info/', token: reader }];

const [usualLogin, usualRead] = [median(await timesOf(logIns, SECONDS)), percentiles(await timesOf(reads, SECONDS))];
// Twice the usual time and a hash, which is what a login takes longer than a read.
const maxLogin = 2 * usualLogin + (usualLogin - usualRead.p50);
const maxRead = usualRead.p50 + MAX_READ_DELAY_MS;
const rows = [['no load', '', format(usualLogin), '', format(usualRead.p50), format(usualRead.p99)]];
const readers = await Promise.all(members.map((username) => accessToken(url, username, PASSWORD)));
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
  const longest = Math.max(...logins);
  rows.push([what, `${requests - errors} of ${requests}`, ...[median(logins), longest, p50, p99].map(format)]);
  if (longest > (sent === storm ? 2 * usualLogin : maxLogin)) misses.push(`${what}: logins`);
  if (p50 > maxRead) misses.push(`${what}: reads`);
}
const create = async (clients: number, rate?: number) => {
  const { requests, errors, seconds, refusals } = await load(clients, [creation('{n}')], cheapUrl, rate);
  return { clients, rate, goodput: (requests - errors) / seconds, refusals };
};
await create(FEW); // Warms up.
const runs = [await create(FEW)];
for (const many of MANY) runs.push(await create(many));
const peak = Math.max(...runs.map(({ goodput }) => goodput));
runs.push(await create(EXCESSIVE.clients, EXCESSIVE.factor * peak));
const creations = runs.map(({ clients, goodput, rate, refusals }) => {
  const [ratio, { p50, p99 }] = [goodput / peak, percentiles(refusals)];
  if (ratio < MIN_GOODPUT_RATIO) misses.push(`${clients} clients create users`);
  if (refusals.length > 0 && p99 > MAX_REFUSAL_MS) misses.push(`${clients} clients: refusals`);
  const sent = rate === undefined ? 'as many as possible' : format(rate);
  return [String(clients), sent, ...[goodput, ratio].map(format), String(refusals.length), ...[p50, p99].map(format)];
});
if (runs.at(-1)?.refusals.length === 0) misses.push('nothing was refused');
const goals = [
  `goals of creations: ≥ ${MIN_GOODPUT_RATIO} × the most, p99 of refusals ≤ ${MAX_REFUSAL_MS} ms`,
  `goals during a load: longest login ≤ ${format(maxLogin)} ms, beside readers ≤ ${format(2 * usualLogin)} ms, p50 of reads ≤ ${format(maxRead)} ms`,
  ...(misses.length > 0 ? misses.map((miss) => `missed: ${miss}`) : ['no goal was missed']),
];
const heads = 'load | succeeded | login p50, ms | longest, ms | read p50, ms | p99, ms';
const created =
  'clients that create users | sent per second | created per second | ratio | refused | refusal p50, ms | p99, ms';
const text = [list([...conditions, ...goals]), table(heads, rows), table(created, creations)].join('\n\n');
publish('docs/performance.md', 'npm run bench:fairness', text);
if (misses.length > 0 && !isShort()) throw new Error('missed goals');
