// Measures what the time of a failed login reveals, and what a flood of logins does to other requests, and writes the results
// into docs/logins.md. BENCH=short: few samples and cheap hashes, printed only, as with the setting HASH_PROCESSORS.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_PASSWORD } from '../packages/app/src/database/demo-data.ts';
import { hashProcessors } from '../packages/app/src/passwords/scrypt-hash.ts';
import { accessToken, clientOf } from '../test-support/client.ts';
import { openDemo } from './demo.ts';
import { atRate, send, timesAtRate } from './load.ts';
import { list, publish, table, verdict } from './report/markdown.ts';
import { areaUnderCurve, format, median, percentiles } from './report/numbers.ts';
import { isShort } from './settings.ts';

const { HASH_PROCESSORS = '' } = process.env;
const [logN, p] = isShort() ? ['10', '1'] : ['14', '5'];
const [samples, floods, seconds] = isShort() ? [20, 1, 1] : [300, 3, 10];
/** Requests per second. */
const [LOGIN_RATE, READ_RATE] = [100, 50];
/** The time after which a flood has filled the queue of passwords, in milliseconds. */
const FILL_MS = 1500;

await using stack = new AsyncDisposableStack();
const { conditions, serve } = await openDemo(stack, 'service, database and clients');
const { url } = await serve({ SCRYPT_LOG_N: logN, SCRYPT_P: p, HASH_PROCESSORS });
const token = await accessToken(url, 'leader', DEMO_PASSWORD);
const leader = clientOf(url, token);
const ids: string[] = [];
for (let at = 0; at < 20; at++) {
  const user = { username: `member-${at}`, password: 'a long enough secret', is_active: at >= 10 };
  ids.push((await leader('POST', '/api/users/', user)).body.id);
}
const paths = ['/api/info/', '/api/users/', ...ids.map((id) => `/api/users/${id}/`)];
const requests = paths.map((path) => ({ method: 'GET' as const, path, token }));
const read = () => timesAtRate(url, requests, READ_RATE, seconds);

/** Tries to log in with a wrong password. */
const guess = (username: string) => {
  const body = JSON.stringify({ username, password: `guess ${randomInt(2 ** 32)}` });
  // Failed logins are limited per network, so each login comes from a different one. The service trusts one proxy.
  const headers = { 'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.1` };
  return send(url, { method: 'POST', path: '/api/auth/login/', body }, headers);
};

const reads = { usual: [] as number[], flooded: [] as number[] };
const logins: Record<number, number[]> = {};
let floodMs = 0;
await read();
for (let round = 0; round < floods; round++) {
  reads.usual.push(...(await read()));
  const began = performance.now();
  const flood = atRate(LOGIN_RATE, seconds + 2, async (at) => {
    const { status, milliseconds } = await guess(at % 2 ? 'user' : `absent-${at}`);
    (logins[status] ??= []).push(milliseconds);
  });
  await sleep(FILL_MS);
  reads.flooded.push(...(await read()));
  await flood;
  floodMs += performance.now() - began;
}
const [usual, flooded] = [percentiles(reads.usual), percentiles(reads.flooded)];

/** Kinds of failed logins, which must not be distinguishable by their duration, with their durations. */
const failures = [
  { name: 'unknown', username: (at: number) => `absent-${at % 10}`, times: [] as number[] },
  { name: 'inactive', username: (at: number) => `member-${at % 10}`, times: [] as number[] },
  { name: 'wrong', username: (at: number) => `member-${10 + (at % 10)}`, times: [] as number[] },
];
// One after the other in random order. The first rounds warm up.
for (let round = -5; round < samples; round++) {
  const order = failures.map((failure) => ({ failure, at: Math.random() })).toSorted((one, other) => one.at - other.at);
  for (const { failure } of order) {
    const { status, milliseconds } = await guess(failure.username(Math.abs(round)));
    if (status !== 401) throw new Error(`a failed login returned status ${status}`);
    if (round >= 0) failure.times.push(milliseconds);
  }
}

const pairs = failures.flatMap((one, at) => failures.slice(at + 1).map((other) => [one, other] as const));
const formatPair = (times: readonly number[] = []): string => {
  const { p50, p99 } = percentiles(times);
  return `${format(p50)} · ${format(p99)}`;
};
const ratio = flooded.p99 / usual.p99;
const medians = failures.map(({ name, times }) => `${format(median(times))} ms (${name})`);
const counts = Object.entries(logins).map(([status, times]) => `${times.length} × ${status}`);
const text = [
  list([
    ...conditions,
    `scrypt with logN ${logN}, r 8, p ${p}, hashes at once: ${HASH_PROCESSORS || hashProcessors().byDefault}`,
  ]),
  `Failed logins, ${samples} of each kind, one after the other in random order. Medians: ${medians.join(', ')}.`,
  table(
    'distinguished by time | area under the ROC curve | between 0.4 and 0.6',
    pairs.map(([one, other]) => {
      const area = areaUnderCurve(one.times, other.times);
      return [`${one.name} from ${other.name}`, area.toFixed(3), verdict(area >= 0.4 && area <= 0.6)];
    }),
  ),
  `A flood of ${LOGIN_RATE} logins per second (${counts.join(', ')}), and ${READ_RATE} reads per second by another client. Logins with a hash, ${format(((logins[401]?.length ?? 0) / floodMs) * 1000)} per second, take ${formatPair(logins[401])} ms, refused ones ${formatPair(logins[503])} ms (p50 · p99).`,
  table('reads | p50 ms | p99 ms', [
    ['without the flood', format(usual.p50), format(usual.p99)],
    ['during the flood', format(flooded.p50), format(flooded.p99)],
  ]),
  `During the flood, the p99 is ${format(ratio)} times the p99 without it (goal ≤ 2; reached: ${verdict(ratio <= 2)}).`,
].join('\n\n');
publish('docs/logins.md', 'npm run bench:login', text);
