import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { type ServiceProcess, serveInProcess } from '../../../../test-support/service-process.ts';

const OPEN_FILES = 400;
/** The number of silent connections per process. */
const SILENT_CONNECTIONS = 600;
const POLL_MS = 100;

describe('A flood of more silent connections than the limit of open files', () => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeFolder();
  const sockets: Socket[] = [];
  const services: ServiceProcess[] = [];
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all(services.map(({ end }) => end()));
  });

  const start = async (workers: number) => {
    const opsPort = await freePort();
    const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, OPS_PORT: String(opsPort) };
    const service = await serveInProcess({ ...settings, WORKERS: String(workers) }, undefined, OPEN_FILES);
    services.push(service);
    return { service, ops: `http://127.0.0.1:${opsPort}`, connections: workers * SILENT_CONNECTIONS };
  };

  /** Opens connections that send nothing and never close, and resolves once each is connected or refused. */
  const flood = async (url: string, connections: number): Promise<void> => {
    const port = Number(new URL(url).port);
    const opened = Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect').catch(() => {});
    });
    await Promise.all(opened);
  };

  const isServed = async (url: string): Promise<boolean> => {
    try {
      return (await fetch(`${url}/api/auth/keys/`, { headers: { Connection: 'close' } })).ok;
    } catch {
      return false;
    }
  };

  it('does not affect the internal port, and the API recovers with one process or two', async () => {
    const started = [await start(1), await start(2)];
    const outcomes = started.map(async ({ service, ops, connections }) => {
      await flood(service.url, connections);
      do {
        for (const path of ['/livez', '/readyz']) expect((await fetch(ops + path)).status, path).to.equal(200);
        await sleep(POLL_MS);
      } while (!(await isServed(service.url)));
      expect(service.output()).to.include('connections dropped');
    });
    await Promise.all(outcomes);
  });
});
