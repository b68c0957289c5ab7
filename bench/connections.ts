// Measures the memory of a service with many idle connections, and writes it into docs/performance.md. Fails if the goal is missed
// with a warm compile cache. BENCH=short: few connections, printed only, without the goal.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../test-support/folders.ts';
import { freePort } from '../test-support/free-port.ts';
import { spawn } from '../test-support/processes.ts';
import { openDemo } from './demo.ts';
import { residentMemoryOf } from './processes.ts';
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
const measure = async ({ url, pid, end }: { url: string; pid: number; end: () => Promise<unknown> }) => {
  const { host, hostname, port } = new URL(url);
  for (let at = 0; at < WARM_UP; at += 1) await (await fetch(url + PATH)).arrayBuffer();
  const before = residentMemoryOf(pid);
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
  const after = residentMemoryOf(pid);
  if (sockets.some(({ readableEnded, destroyed }) => readableEnded || destroyed))
    throw new Error('a connection was closed');
  for (const socket of sockets) socket.destroy();
  await end();
  return { before, after };
};

const settings = { MAX_CONNECTIONS: String(CONNECTIONS + 16) };
const cached = { ...settings, NODE_COMPILE_CACHE: makeFolder() };
const rows: string[][] = [];
const add = (name: string, { before, after }: Awaited<ReturnType<typeof measure>>): void => {
  const kibEach = ((after - before) * 1024) / CONNECTIONS;
  rows.push([name, before.toFixed(0), after.toFixed(0), kibEach.toFixed(1)]);
};
add('only `node:http`', await measure(await servePlain()));
add('the service', await measure(await serve(settings)));
// Fills the cache when it ends.
await (await serve(cached)).end();
const last = await measure(await serve(cached));
add('the service, started again with `NODE_COMPILE_CACHE`', last);
const goal = `${CONNECTIONS.toLocaleString('en')} idle connections of one process; goal < ${MAX_MEMORY_MIB} MiB`;
const heads = 'process | before, MiB | with the connections, MiB | each, KiB';
publish('docs/performance.md', 'npm run bench:connections', `${list([...conditions, goal])}\n\n${table(heads, rows)}`);
if (last.after >= MAX_MEMORY_MIB && !isShort()) throw new Error('missed goal');
