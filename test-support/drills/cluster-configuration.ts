import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serverUser } from '../../packages/app/src/embedded/postmaster.ts';
import { freePort } from '../free-port.ts';
import { tracksPreparedStatements } from '../pgbouncer.ts';

/** The hosts of deploy/compose.ha.yaml. */
export const DATABASES: readonly string[] = ['db1', 'db2', 'db3'];
export const STORES: readonly string[] = ['etcd1', 'etcd2', 'etcd3'];

/** The folder of Debian's PostgreSQL. The embedded one has no programs that copy and rewind servers. */
const BIN = dirname(globSync('/usr/lib/postgresql/*/bin/pg_rewind').toSorted().at(-1) ?? '/nowhere/pg_rewind');
export const PATH: string = `${process.env['PATH']}:/usr/sbin:${BIN}`;

/** Returns the version of a program, or undefined if it is not installed. */
export const versionOf = (command: string): string | undefined =>
  /\d+\.[\d.]*\d/.exec(spawnSync('sh', ['-c', command], { env: { PATH }, encoding: 'utf8' }).stdout)?.[0];

/** The programs of a cluster, with the commands that print their versions. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  PostgreSQL: 'pg_rewind --version',
  Patroni: 'patroni --version',
  etcd: 'etcd --version',
  haproxy: 'haproxy -v',
  pgbouncer: 'pgbouncer --version',
};

/** Chooses ports of this machine for the servers of deploy/compose.ha.yaml, whose files are in `dir`. */
export const makeConfiguration = async (dir: string) => {
  const ports = new Map<string, number>();
  const names = { etcd1: [2379, 2380], etcd2: [2379, 2380], etcd3: [2379, 2380], proxy: [3000, 5000, 5001] };
  const databases = Object.fromEntries(DATABASES.map((name) => [name, [5432, 8008]]));
  for (const [name, own] of Object.entries({ ...names, ...databases }))
    for (const port of own) ports.set(`${name}:${port}`, await freePort());
  const addressOf = (address: string): string => `127.0.0.1:${ports.get(address)}`;
  const checkOf = (_: string, db: string) => `${addressOf(`${db}:5432`)} check port ${ports.get(`${db}:8008`)}`;
  /** Writes a file of deploy/ha with the addresses and folders of this machine. Returns its path. */
  const configure = (file: string, name: string): string => {
    const home = join(dir, name);
    mkdirSync(home, { recursive: true });
    const text = readFileSync(join('deploy/ha', file), 'utf8')
      .replaceAll(/"?\$NAME"?/g, name)
      .replaceAll(/ resolvers docker init-addr none|^resolvers.*\n.*\n.*\n/gm, '')
      // The instances are not behind this proxy, and the drills need no database of their own.
      .replaceAll(/^ +(server api|post_bootstrap:).*\n/gm, '')
      .replaceAll(/(db\d):5432 check port 8008/g, checkOf)
      .replaceAll(/(?:(etcd\d|db\d)|0\.0\.0\.0|(?<=bind )):(\d{4})/g, (_, host = name, port) =>
        addressOf(`${host}:${port}`),
      )
      .replaceAll(/\/(data|tmp)\b/g, home)
      .replace(/bin_dir:.*/, `bin_dir: ${BIN}`);
    writeFileSync(join(home, file), text);
    const user = serverUser('');
    if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, dir]);
    return join(home, file);
  };
  return { addressOf, configure };
};

/** Returns the settings of deploy/ha/pgbouncer.ini for every address, as far as the installed version has them. */
export const readPoolerSettings = (): Readonly<Record<string, string>> => {
  const other = tracksPreparedStatements() ? /^(listen|unix|auth)/ : /^(listen|unix|auth|pool_mode|max_prepared)/;
  const lines = readFileSync('deploy/ha/pgbouncer.ini', 'utf8')
    .replace(/^[^]*\[pgbouncer\]/, '')
    .split('\n');
  const settings = lines.map((line) => /^(\w+) = (.*)$/.exec(line) ?? []);
  return Object.fromEntries(settings.filter(([, name]) => name && !other.test(name)).map(([, ...one]) => one));
};
