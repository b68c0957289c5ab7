// Measures the memory of a service with many idle connections, and writes it into docs/performance.md. Fails if the goal is missed
// with a small young generation. BENCH=short: few connections, printed only, without the goal.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test-support/free-port.ts';
import { spawn } from '../test-support/processes.ts';
import type { ServiceProcess } from '../test-support/service-process.ts';
import { openDemo } from './demo.ts';
import { memoryOf } from './processes.ts';
import { list, publish, table } from './report/markdown.ts';
import { responds } from './server.ts';
import { isShort } from './settings.ts';

const CONNECTIONS = isShort() ? 100 : 10_000;
const MAX_MEMORY_MIB = 300;
const WARM_UP = 500;
/** Milliseconds of rest: less than the service keeps an idle connection open. */
const REST_MS = isShort() ? 0 : 10_000;
const PATH = '/api/auth/keys/';

await using stack = new AsyncDisposableStack();
const { conditions, serve } = await openDemo(stack, 'service, database and clients');

/** Starts a server that has only what Node.js needs for a connection. */
const servePlain = async () => {
  const port = await freePort();
  const program = `require('node:http').createServer({ keepAliveTimeout: 65000 }, (_, response) => response.end('[]')).listen(${port}, '127.0.0.1')`;
  const child = spawn(process.execPath, ['--eval', program], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  while (!(await responds(url))) await sleep(20);
  return { url, pid: child.pid ?? 0, end: async () => child.kill() };
};

/** Returns the MiB of a server before and with idle connections, each of which has got one response. */
const measure = async ({
  url,
  pid,
  end,
}: Pick<ServiceProcess, 'url' | 'pid'> & { readonly end: () => Promise<unknown> }) => {
  const { host, hostname, port } = new URL(url);
  for (let at = 0; at < WARM_UP; at += 1) await (await fetch(url + PATH)).arrayBuffer();
  const before = memoryOf(pid);
  const sockets: Socket[] = [];
  const open = async (): Promise<void> => {
    while (sockets.length < CONNECTIONS) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await once(socket, 'data');
    }
  };
  await Promise.all(Array.from({ length: 16 }, open));
  await sleep(REST_MS);
  const after = memoryOf(pid);
  if (sockets.some(({ readableEnded, destroyed }) => readableEnded || destroyed))
    throw new Error('a connection was closed');
  for (const socket of sockets) socket.destroy();
  await end();
  return { before, after };
};

const rows: string[][] = [];
let last = 0;
for (const [name, NODE_OPTIONS] of [
  ['only `node:http`', undefined],
  ['the service', ''],
  ['the service', '--max-semi-space-size=4'],
] as const) {
  const settings = { NODE_OPTIONS: NODE_OPTIONS ?? '', MAX_CONNECTIONS: String(CONNECTIONS + 16) };
  const { before, after } = await measure(NODE_OPTIONS === undefined ? await servePlain() : await serve(settings));
  const kibEach = ((after - before) * 1024) / CONNECTIONS;
  const option = NODE_OPTIONS ? `\`${NODE_OPTIONS}\`` : '';
  rows.push([name, option, before.toFixed(0), after.toFixed(0), kibEach.toFixed(1)]);
  last = after;
}
const goal = `${CONNECTIONS.toLocaleString('en')} idle connections of one process; goal < ${MAX_MEMORY_MIB} MiB`;
const heads = 'process | `NODE_OPTIONS` | before, MiB | with the connections, MiB | each, KiB';
publish('docs/performance.md', 'npm run bench:connections', `${list([...conditions, goal])}\n\n${table(heads, rows)}`);
if (last >= MAX_MEMORY_MIB && !isShort()) throw new Error('missed goal');
