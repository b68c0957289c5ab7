import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { freePort } from '../../../../test-support/free-port.ts';
import { makeDataDir, type ServiceProcess, serve } from '../../../../test-support/service-process.ts';

const OPEN_FILES = 400;
/** For each process. */
const SILENT_CONNECTIONS = 600;
const POLL_MS = 100;

describe('A flood of silent connections, more than the service may have files open', () => {
  const dataDir = makeDataDir();
  const sockets: Socket[] = [];
  const services: ServiceProcess[] = [];
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all(services.map(({ end }) => end()));
    dataDir.remove();
  });

  const start = async (workers: number) => {
    const opsPort = await freePort();
    const settings = { DATA_DIR: dataDir.path, OPS_PORT: String(opsPort), WORKERS: String(workers) };
    const service = await serve(settings, undefined, OPEN_FILES);
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

  it('leaves the internal port alone, and the API of one process or two serves again by itself', async () => {
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
