// Counts the round trips to the database, the statements and the system calls of one request of each kind, and writes them into
// docs/performance.md. Without strace, system calls are not counted. BENCH=short: on little data, printed only.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { spawn } from '../test-support/processes.ts';
import { type LoadRequest, requestsOf } from './kinds.ts';
import { send } from './load.ts';
import { describeRun, list, publish, table } from './report/markdown.ts';
import { BASELINE, SERVICE } from './server.ts';
import { readSettings } from './settings.ts';
import { openSetup, type RunningServer } from './setup.ts';
import { startProxy } from './trips/proxy.ts';

const REQUESTS = 500;

const settings = readSettings(process.env);
await using stack = new AsyncDisposableStack();
const { databaseUrl, start, world } = await openSetup(settings.population, stack);
const proxy = await startProxy(databaseUrl);
stack.defer(proxy.close);
const [service, baseline] = [await start(SERVICE, proxy.url), await start(BASELINE, proxy.url)];
const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** Sends requests one after the other on one connection. */
const sendAll = async (url: string, requests: readonly LoadRequest[], run: string): Promise<void> => {
  for (const [at, { body, ...request }] of requests.entries()) {
    const changed = body === undefined ? request : { ...request, body: body.replaceAll('{n}', `${run}.${at}`) };
    const { status } = await send(url, changed);
    if (status !== 200) throw new Error(`${request.method} ${request.path} returned ${status}`);
  }
};

/** Returns the system calls of all threads of a process while `run` runs. */
const countSystemCalls = async (pid: number, run: () => Promise<void>): Promise<number> => {
  const strace = spawn('strace', ['-f', '-c', '-U', 'calls,name', '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  strace.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  while (!output.includes('attached')) await once(strace.stderr, 'data');
  await run();
  strace.kill('SIGINT');
  await once(strace, 'close');
  return Number(/^ *(\d+) total$/m.exec(output)?.[1]);
};

/** Returns the trips, statements and system calls of one request, for the table. */
const count = async ({ url, pid }: RunningServer, requests: readonly LoadRequest[]): Promise<readonly string[]> => {
  // Connections are opened and statements are prepared.
  await sendAll(url, requests, 'first');
  proxy.take();
  await sendAll(url, requests, 'second');
  const { trips, statements } = proxy.take();
  const calls = hasStrace ? await countSystemCalls(pid, () => sendAll(url, requests, 'third')) : Number.NaN;
  return [trips, statements, calls].map((all) => (Number.isNaN(all) ? '–' : (all / REQUESTS).toFixed(1)));
};

const rows: string[][] = [];
for (const { name, request } of settings.kinds) {
  const requests = requestsOf(request, world).slice(0, REQUESTS);
  rows.push([name, ...(await count(service, requests)), ...(await count(baseline, requests))]);
}
const heads = [service, baseline].map(({ name }) => `${name}: trips | statements | system calls`);
const conditions = [
  ...(await describeRun('servers, database and client', databaseUrl)),
  `${REQUESTS} requests of each kind, one after the other on one connection; the mean of one request`,
  hasStrace ? 'system calls of all threads' : 'system calls were not counted, because strace is not installed',
];
const text = `${list(conditions)}\n\n${table(['kind', ...heads].join(' | '), rows)}`;
publish('docs/performance.md', 'npm run bench:trips', text);
