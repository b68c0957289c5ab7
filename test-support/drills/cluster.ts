import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, globSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverUser } from '../../packages/app/src/embedded/postmaster.ts';
import { makeBreakableNetwork } from '../breakable-network.ts';
import { prepareDemo } from '../demo-database.ts';
import { startPgbouncer } from '../pgbouncer.ts';
import { spawn } from '../processes.ts';
import { query } from '../query.ts';
import { childrenOf } from '../service-process.ts';
import { DATABASES, makeConfiguration, PATH, readPoolerSettings, STORES } from './cluster-configuration.ts';
import { signalAll } from './server.ts';
import { makeInstances } from './world.ts';

/** Milliseconds within which the cluster has a primary and two replicas, on a slow and busy machine. */
const SETTLE_LIMIT_MS = 300_000;

/** One server as Patroni's REST API shows it. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

const leaderIn = (found: readonly Member[]): string | undefined => found.find(({ role }) => role === 'leader')?.name;

/** A cluster with the configuration in deploy/ha, and two instances. */
export type ClusterWorld = Awaited<ReturnType<typeof openCluster>>;

/** Starts the cluster of deploy/compose.ha.yaml on this machine. The first instance has all hosts in its URL, the second a pooler. */
export const openCluster = async () => {
  const user = serverUser('');
  const dir = mkdtempSync(join(user ? '/tmp' : tmpdir(), 'chapter-drill-'));
  const password = randomBytes(16).toString('hex');
  const { addressOf, configure } = await makeConfiguration(dir);
  const running = new Map<string, ChildProcess>();
  const launch = (name: string, command: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): void => {
    const output = openSync(join(dir, `${name}.log`), 'a');
    const env = { PATH, LANG: 'C.UTF-8', ...more };
    running.set(name, spawn(command, args, { ...user, cwd: dir, env, stdio: ['ignore', output, output] }));
    closeSync(output);
  };
  const kill = async (name: string): Promise<void> => {
    const child = running.get(name);
    running.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const startStore = (name: string): void => launch(name, 'sh', [configure('etcd.sh', name)]);
  /** Starts Patroni, as deploy/ha/patroni.sh does. */
  const startPatroni = (name: string): void =>
    launch(name, 'patroni', [configure('patroni.yaml', name)], {
      PATRONI_NAME: name,
      PATRONI_RESTAPI_CONNECT_ADDRESS: addressOf(`${name}:8008`),
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: addressOf(`${name}:5432`),
      PATRONI_SUPERUSER_PASSWORD: password,
      PATRONI_REPLICATION_PASSWORD: password,
    });
  /** Returns all processes of a PostgreSQL. It has a session of its own, so it outlives Patroni. */
  const processesOf = (name: string): readonly number[] => {
    const file = join(dir, name, 'postgresql/postmaster.pid');
    const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
    return pid > 0 && existsSync(`/proc/${pid}`) ? [pid, ...childrenOf(pid)] : [];
  };
  const killPostgres = (name: string): void => signalAll(processesOf(name), 'SIGKILL');
  const cleanUp = (): void => {
    for (const name of DATABASES) killPostgres(name);
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', cleanUp);

  /** Asks the Patronis that run, one after the other, until one responds. */
  const members = async (): Promise<readonly Member[]> => {
    for (const name of DATABASES.filter((one) => running.has(one))) {
      const response = await fetch(`http://${addressOf(`${name}:8008`)}/cluster`).catch(() => undefined);
      if (response?.ok) return ((await response.json()) as { members: readonly Member[] }).members;
    }
    return [];
  };
  const until = async (what: string, isReached: (found: readonly Member[]) => boolean): Promise<readonly Member[]> => {
    for (const end = Date.now() + SETTLE_LIMIT_MS; ; await sleep(200)) {
      const found = await members();
      if (isReached(found)) return found;
      if (Date.now() < end) continue;
      const logs = globSync(`${dir}/*.log`).map((log) => `${log}: ${readFileSync(log, 'utf8').slice(-1000)}`);
      throw new Error(`the cluster has no ${what}: ${JSON.stringify(found)}\n${logs.join('\n')}`);
    }
  };
  const urlOf = (address: string): string => `postgresql://chapter:${password}@${addressOf(address)}/postgres`;
  /** Waits for a primary and two replicas of its timeline, one of them synchronous. Returns the primary's name. */
  const settle = async (): Promise<string> => {
    const found = await until('primary with two replicas', (all) => {
      const timelines = new Set(all.map(({ timeline }) => timeline));
      const isReplicating = all.every(({ state }) => state === 'running' || state === 'streaming');
      const isSynchronous = all.some(({ role }) => role === 'sync_standby');
      return all.length === 3 && timelines.size === 1 && isReplicating && isSynchronous && leaderIn(all) !== undefined;
    });
    return leaderIn(found) ?? '';
  };

  for (const name of STORES) startStore(name);
  for (const name of DATABASES) startPatroni(name);
  launch('proxy', 'haproxy', ['-W', '-db', '-f', configure('haproxy.cfg', 'proxy')]);
  await settle();
  const leading = urlOf('proxy:5000');
  for (const end = Date.now() + SETTLE_LIMIT_MS; Date.now() < end; await sleep(200)) {
    if (await query(leading, 'select').catch(() => undefined)) break;
  }
  await prepareDemo(leading);
  const behindPooler = await makeBreakableNetwork(leading);
  const settings = readPoolerSettings();
  let pooler = await startPgbouncer(behindPooler.url, settings);
  const beforePooler = await makeBreakableNetwork(pooler.url);
  const hosts = DATABASES.map((name) => addressOf(`${name}:5432`)).join(',');
  const instances = await makeInstances([
    { DATABASE_URL: leading.replace(/@[^/]+/, `@${hosts}`), WORKERS: '1' },
    { DATABASE_URL: beforePooler.url, WORKERS: '1' },
  ]);
  return {
    instances,
    addresses: instances.map(({ url }) => url),
    primary: { url: leading },
    standby: { url: leading },
    settle,
    startStores: () => STORES.forEach(startStore),
    killStores: () => Promise.all(STORES.map(kill)),
    startPatroni,
    killPatroni: kill,
    killPostgres,
    runsPostgres: (name: string) => processesOf(name).length > 0,
    /** Waits until another server than this one is the primary. */
    untilOtherThan: (name: string) => until('other primary', (all) => ![undefined, name].includes(leaderIn(all))),
    /** Moves the primary to a synchronous standby. */
    switchOver: async (): Promise<void> => {
      const leader = await settle();
      const init = { method: 'POST', body: JSON.stringify({ leader }) };
      const response = await fetch(`http://${addressOf(`${leader}:8008`)}/switchover`, init);
      if (!response.ok) throw new Error(`the switchover returned ${response.status}: ${await response.text()}`);
    },
    /** Lets the pooler connect to a replica whose replay is paused. */
    leadToReplica: async (): Promise<void> => {
      const leader = await settle();
      const replica = urlOf(`${DATABASES.find((name) => name !== leader)}:5432`);
      await query(replica, 'select pg_wal_replay_pause()');
      behindPooler.redirectTo(replica);
    },
    leadToPrimary: async (): Promise<void> => {
      behindPooler.redirectTo(leading);
      const replicas = DATABASES.map((name) => query(urlOf(`${name}:5432`), 'select pg_wal_replay_resume()'));
      // The primary replays nothing.
      await Promise.allSettled(replicas);
    },
    stopPooler: () => pooler.stop(),
    startPooler: async (): Promise<void> => {
      pooler = await startPgbouncer(behindPooler.url, settings);
      beforePooler.redirectTo(pooler.url);
    },
    close: async (): Promise<void> => {
      await Promise.all(instances.map(({ end }) => end('SIGKILL')));
      await pooler.stop();
      await Promise.all([beforePooler.close(), behindPooler.close()]);
      await Promise.all([...running.keys()].map(kill));
      cleanUp();
      process.off('exit', cleanUp);
    },
  };
};
