import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { LEFT_OUT } from './measure/server.ts';
import { HASHING_CONNECTIONS } from './rounds.ts';
import type { Settings } from './settings.ts';

const commit = (): string => {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' });
  return stdout.trim();
};

const count = (value: number): string => value.toLocaleString('en');

/** When, where and with what a run was made, a line each. */
export const whenAndWhere = (sharing: string, programs: readonly string[]): readonly string[] => {
  const [cpu] = cpus();
  return [
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commit()}`,
    `${cpus().length} × ${cpu?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}; load average at the start ${loadavg()[0]?.toFixed(1)}; ${sharing} share all of it`,
    `Node.js ${process.versions.node}, ${programs.join(', ')}`,
  ];
};

/** How a run of everything goes. */
export const inRounds = ({ rounds, halfLoadTurns, seconds, connections, scrypt }: Settings): string =>
  `${rounds} rounds of ${seconds} s at ${connections} connections (${seconds * 3} s at ${Math.min(connections, HASHING_CONNECTIONS)} where passwords are hashed: scrypt with logN ${scrypt.logN}, r 8, p ${scrypt.p}), floor and service in turn; half the load in ${halfLoadTurns} turns`;

/** When, where, with what and `how` servers were measured, a line each. To be asked for at the start. */
export const circumstances = (
  { size }: Settings,
  { database, generator }: { readonly database: string; readonly generator: string },
  how: string,
): readonly string[] => [
  ...whenAndWhere('servers, database and load generator', [database, generator]),
  `${count(size.divisions * size.members)} members in ${count(size.divisions)} divisions, and one division of ${count(size.deep)}; the database does not wait for the disk, and is vacuumed before each kind`,
  how,
  `The service runs ${LEFT_OUT}`,
];
