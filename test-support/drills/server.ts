import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { installedPostgres, reachableBinaries } from '../../packages/app/src/embedded/cluster.ts';
import { serverUser } from '../../packages/app/src/embedded/postmaster.ts';
import { freePort } from '../free-port.ts';
import type { Cluster } from '../postgres/embedded.ts';
import { spawn } from '../processes.ts';
import { query } from '../query.ts';
import { childrenOf } from '../service-process.ts';

/** Milliseconds within which a server must accept connections again. */
const START_LIMIT_MS = 60_000;

/** Stopped processes, which do not end by themselves when this one does. */
const frozen = new Set<number>();
const cleanUps = new Set<() => void>();
process.once('exit', () => {
  signalAll([...frozen], 'SIGKILL');
  for (const cleanUp of cleanUps) cleanUp();
});

/** Sends a signal to processes, of which some may have ended. */
export const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void => {
  for (const pid of pids) {
    if (signal === 'SIGSTOP') frozen.add(pid);
    if (signal === 'SIGCONT') frozen.delete(pid);
    try {
      // 0 would be the group of this process.
      if (pid > 0) process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
};

/**
 * Makes a PostgreSQL of stopped files that can be killed, frozen and started again on the same port. Its files are deleted with it.
 * Linux only.
 */
export const makeDrillServer = async ({ dir, password }: Cluster, settings: Readonly<Record<string, string>>) => {
  const user = serverUser('');
  const { postgres } = reachableBinaries(installedPostgres(), user);
  const port = await freePort();
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  const flags = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port), ...settings };
  const log = join(dir, 'log');
  let data = join(dir, 'data');
  let child: ChildProcess | undefined;
  let mounted: string | undefined;
  let backup = '';

  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  const launch = (): void => {
    const output = openSync(log, 'a');
    const args = Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const env = { PATH: process.env['PATH'], TZ: 'UTC' };
    const stdio = ['ignore' as const, output, output];
    child = spawn(postgres, ['-D', data, ...args], { ...user, cwd: data, env, stdio, detached: true });
    closeSync(output);
  };
  const processes = (): readonly number[] => {
    const pid = isRunning() ? (child?.pid ?? 0) : 0;
    return pid > 0 ? [pid, ...childrenOf(pid)] : [];
  };
  const end = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    if (!child || !isRunning()) return;
    const ended = once(child, 'exit');
    signalAll(signal === 'SIGKILL' ? processes() : [child.pid ?? 0], signal);
    await ended;
  };
  /** Starts the server unless it runs, and waits until it accepts connections. */
  const start = async (): Promise<void> => {
    const deadline = Date.now() + START_LIMIT_MS;
    for (;;) {
      // The first attempts can fail while processes of a killed server still end.
      if (!isRunning()) launch();
      await sleep(100);
      const hasStarted = await query(url, 'select').catch(() => undefined);
      if (hasStarted) return;
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${readFileSync(log, 'utf8').slice(-2000)}`);
    }
  };
  const removeFiles = (): void => {
    if (mounted) execFileSync('umount', ['--lazy', mounted]);
    mounted = undefined;
    rmSync(dir, { recursive: true, force: true });
  };
  cleanUps.add(removeFiles);

  return {
    url,
    sql: (text: string) => query(url, text),
    start,
    /** Stops the server, which ends the transactions of its clients. */
    stop: () => end('SIGINT'),
    /** Kills all its processes at once. */
    kill: () => end('SIGKILL'),
    /** Stops all its processes: its connections stay open and silent. */
    freeze: () => signalAll(processes(), 'SIGSTOP'),
    thaw: () => signalAll(processes(), 'SIGCONT'),
    /**
     * Puts the tables of the stopped server on a disk of this size, such as `100m`. Returns the folder, or undefined if the system
     * does not let this process mount one.
     */
    limitDisk: (size: string): string | undefined => {
      const base = join(data, 'base');
      const copy = join(dir, 'base');
      cpSync(base, copy, { recursive: true });
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', base], { stdio: 'ignore' });
      } catch {
        return undefined;
      }
      mounted = base;
      cpSync(copy, base, { recursive: true });
      if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, base]);
      return base;
    },
    /** Copies the files of the running server. */
    backUp: async (): Promise<void> => {
      backup = join(mkdtempSync(join(dir, 'backup-')), 'data');
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(`select pg_backup_start('drill', true)`);
      // Files that vanish during the copy are in the log.
      execFileSync('sh', ['-c', 'cp -R "$0" "$1" 2>&1 || true', data, backup]);
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      writeFileSync(join(backup, 'backup_label'), rows[0]?.labelfile ?? '');
      await client.end();
    },
    /** Kills the server, and starts it with the copied files and the log since then. */
    restore: async (): Promise<void> => {
      await end('SIGKILL');
      rmSync(join(backup, 'postmaster.pid'), { force: true });
      rmSync(join(backup, 'pg_wal'), { recursive: true });
      cpSync(join(data, 'pg_wal'), join(backup, 'pg_wal'), { recursive: true });
      execFileSync('chmod', ['-R', 'go=', join(backup, '..')]);
      if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, join(backup, '..')]);
      data = backup;
      await start();
    },
    close: async (): Promise<void> => {
      await end('SIGKILL');
      removeFiles();
      cleanUps.delete(removeFiles);
    },
  };
};
