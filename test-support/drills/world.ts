import { join } from 'node:path';
import type { Client } from 'pg';
import { ensureKeyFile } from '../../packages/app/src/tokens/key-file.ts';
import { makeBreakableNetwork } from '../breakable-network.ts';
import { prepareDemo } from '../demo-database.ts';
import { makeFolder } from '../folders.ts';
import { freePort } from '../free-port.ts';
import { copyAsStandby, initCluster } from '../postgres/embedded.ts';
import { type ServiceProcess, serveInProcess } from '../service-process.ts';
import { makeDrillServer, signalAll } from './server.ts';

type Settings = Readonly<Record<string, string>>;

/** Starts two instances in PROD with the same signing keys. `own` are the settings of each, beyond those of all. */
export const makeInstances = async (own: readonly [Settings, Settings]) => {
  const keysFile = join(makeFolder(), 'keys.json');
  ensureKeyFile(keysFile);
  const makeInstance = async (more: Settings) => {
    const settings = {
      CHAPTER_ENV: 'PROD',
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      DATABASE_POOL_SIZE: '5',
      JWT_KEYS_FILE: keysFile,
      CORS_ORIGINS: 'https://members.example.org',
      PUBLIC_URL: 'https://members.example.org/',
      CHANGES_PER_HOUR: '0',
      TRUSTED_PROXIES: '1',
      ACCESS_TOKEN_TTL: '86400',
      LOG_LEVEL: 'info',
      ...more,
    };
    let service: ServiceProcess = await serveInProcess(settings);
    return {
      url: service.url,
      workers: () => service.children(),
      /** Starts it again, with other variables if some are given. */
      start: async (other: Settings = {}): Promise<void> => {
        service = await serveInProcess({ ...settings, ...other });
      },
      /** Sends a signal to all its processes. */
      signal: (signal: NodeJS.Signals): void => {
        signalAll(service.children(), signal);
        void service.end(signal);
      },
      end: (signal?: NodeJS.Signals) => service.end(signal),
    };
  };
  return [await makeInstance(own[0]), await makeInstance(own[1])] as const;
};

/** Two instances in PROD, a primary that waits for its standby, and broken networks to both. */
export type DrillWorld = Awaited<ReturnType<typeof openWorld>>;

/** Starts everything that the drills break. */
export const openWorld = async () => {
  const files = initCluster();
  const copy = copyAsStandby(files);
  const common = { wal_keep_size: '512MB' };
  const primary = await makeDrillServer(files, { ...common, synchronous_standby_names: '*' });
  const { port, username, password } = new URL(primary.url);
  const primary_conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
  const standby = await makeDrillServer(copy, { ...common, primary_conninfo, wal_receiver_timeout: '5s' });
  const disk = primary.limitDisk('128m');
  await primary.start();
  await standby.start();
  await prepareDemo(primary.url);
  const [network, replicaNetwork] = [await makeBreakableNetwork(primary.url), await makeBreakableNetwork(standby.url)];
  const databases = {
    DATABASE_URL: network.url.replace(/@[^/]+/, (host) => `${host},${new URL(standby.url).host}`),
    DATABASE_REPLICA_URLS: replicaNetwork.url,
  };
  const instances = await makeInstances([
    { ...databases, WORKERS: '2' },
    { ...databases, WORKERS: '1' },
  ]);
  return {
    primary,
    standby,
    network,
    replicaNetwork,
    disk,
    instances,
    addresses: instances.map(({ url }) => url),
    /** The connections that a drill holds. */
    taken: [] as Client[],
    close: async (): Promise<void> => {
      await Promise.all(instances.map(({ end }) => end('SIGKILL')));
      await Promise.all([network.close(), replicaNetwork.close()]);
      await Promise.all([primary.close(), standby.close()]);
    },
  };
};
