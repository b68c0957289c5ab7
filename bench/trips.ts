// Counts the round trips to the database, the statements and the system calls of one request of each kind, and writes them into
// docs/performance.md. Without strace, system calls are not counted. BENCH=short: on little data, printed only.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { spawn } from '../test-support/processes.ts';
import { type LoadRequest, requestsOf } from './kinds.ts';
import { describeRun, list, table, writeBetween } from './report/markdown.ts';
import { BASELINE, SERVICE } from './server.ts';
import { readSettings } from './settings.ts';
import { openSetup, type RunningServer } from './setup.ts';
import { startProxy } from './trips/proxy.ts';

const REQUESTS = 500;

const settings = readSettings(process.env);
await using stack = new AsyncDisposableStack();
const { databaseUrl, start, versions, world } = await openSetup(settings, stack);
const proxy = await startProxy(databaseUrl);
stack.defer(proxy.close);
const servers = [await start(SERVICE, proxy.url), await start(BASELINE, proxy.url)];
const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** Sends requests one after the other on one connection. */
const send = async (url: string, requests: readonly LoadRequest[], run: string): Promise<void> => {
  for (const [at, { method, path, token, body }] of requests.entries()) {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: body.replaceAll('{n}', `${run}.${at}`) }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`);
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
  await send(url, requests, 'first');
  proxy.take();
  await send(url, requests, 'second');
  const { trips, statements } = proxy.take();
  const calls = hasStrace ? await countSystemCalls(pid, () => send(url, requests, 'third')) : Number.NaN;
  return [trips, statements, calls].map((all) => (Number.isNaN(all) ? '–' : (all / REQUESTS).toFixed(1)));
};

const rows: string[][] = [];
for (const kind of settings.kinds) {
  const requests = requestsOf(kind.request, world).slice(0, REQUESTS);
  const row = [kind.name];
  for (const server of servers) row.push(...(await count(server, requests)));
  rows.push(row);
}
const heads = servers.map(({ name }) => `${name}: trips | statements | system calls`);
const conditions = [
  ...describeRun('servers, database and client', versions),
  `${REQUESTS} requests of each kind, one after the other on one connection; the mean of one request`,
  hasStrace ? 'system calls of all threads' : 'system calls were not counted, because strace is not installed',
];
const text = `${list(conditions)}\n\n${table(['kind', ...heads].join(' | '), rows)}`;
console.log(text);
if (settings.isComplete) writeBetween('docs/performance.md', 'npm run bench:trips', text);
