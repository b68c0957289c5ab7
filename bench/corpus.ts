// Sends the hostile requests of the tests to a service, measures how long each holds its event loop, and writes that into
// bench/RESULTS.md. BENCH=short: each request once, printed only.
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';
import type { Json } from '../test-support/client.ts';
import type { HostileRequest } from '../test-support/hostile-requests/hostile-input.ts';
import { bytesOf, type HostileTarget, hostileInputs } from '../test-support/hostile-requests/index.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { makeDataDir, serve } from '../test-support/service-process.ts';
import { PASSWORD } from '../test-support/two-services.ts';
import { whenAndWhere } from './circumstances.ts';
import { findHold, leastHold } from './corpus/hold.ts';
import { corpusReport, type MeasuredRequest } from './corpus/report.ts';
import { writeBetween } from './report/write-between.ts';

const short = process.env['BENCH'] === 'short';
const repetitions = short ? 1 : 5;

/** Writes a request and returns the response, once the service has closed the connection. */
const send = (port: number, request: Buffer): Promise<string> =>
  new Promise((resolve) => {
    let response = '';
    const socket = connect(port, '127.0.0.1', () => void socket.write(request));
    socket.setEncoding('utf8').on('data', (text: string) => (response += text));
    // The service disconnects clients that send too much: their response is empty.
    socket.on('error', () => {});
    socket.on('close', () => resolve(response));
  });

const dataDir = makeDataDir();
const server = await startEmbedded();
try {
  const circumstances = whenAndWhere('service, database and the sender', [await versionOf(server.url)]);
  const service = await serve({
    DATABASE_URL: server.url,
    DATA_DIR: dataDir.path,
    TRUSTED_PROXIES: '1',
    LOG_LEVEL: 'error',
    NODE_OPTIONS: `--import=${pathToFileURL('bench/corpus/preload.ts').href}`,
  });
  const port = Number(new URL(service.url).port);
  let connections = 0;
  const ask = async (request: HostileRequest, target: Partial<HostileTarget> = {}) => {
    const sent = bytesOf(request, target);
    const response = await send(port, sent);
    const number = connections++;
    await service.printed(`hold ${number} `);
    const hold = findHold(service.output(), number);
    if (!hold) throw new Error(`the service has ended at ${request.method} ${request.path}`);
    return { bytes: sent.length, status: response.split(' ', 2)[1] ?? 'disconnected', response, hold };
  };
  const read = async (request: HostileRequest, target?: Partial<HostileTarget>): Promise<Json> =>
    JSON.parse((await ask(request, target)).response.split('\r\n\r\n')[1] ?? '');
  const logIn = async (username: string): Promise<string> => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ username, password: PASSWORD });
    return (await read({ method: 'POST', path: '/api/auth/login/', headers, body })).access_token;
  };
  const tokens = { leader: await logIn('leader'), administrator: await logIn('admin') };
  const { id: user } = await read({ method: 'GET', path: '/api/info/', as: 'leader' }, tokens);
  const { division } = await read({ method: 'GET', path: '/api/users/{user}/', as: 'leader' }, { ...tokens, user });
  const target = { ...tokens, user, division: division.id };
  const measured: MeasuredRequest[] = [];
  for (const { title, maxBytes, make } of hostileInputs) {
    const { headers, ...request } = make(maxBytes);
    // A network of its own for each, so that no limit ends the measurement.
    const network = `10.${measured.length >> 8}.${measured.length & 255}.1`;
    const all = [];
    for (let time = 0; time < repetitions; time++) {
      all.push(await ask({ ...request, headers: { 'X-Forwarded-For': network, ...headers } }, target));
    }
    const { bytes, status } = all[0] ?? { bytes: 0, status: '' };
    measured.push({ title, bytes, status, hold: leastHold(all.map(({ hold }) => hold)) });
  }
  await service.end();
  const report = corpusReport(circumstances, repetitions, measured);
  console.log(report);
  if (!short) writeBetween('bench/RESULTS.md', 'npm run bench:corpus', report);
} finally {
  await server.stop();
  dataDir.remove();
}
