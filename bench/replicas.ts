// Measures which lists replicas serve, by their lag and the changes of a division, and what a list costs the primary. Writes the
// results into docs/scaling.md. BENCH=short: loads of a tenth of a second, printed only.
import { setTimeout as sleep } from 'node:timers/promises';
import { listQuery, type UserListField } from '@chapter/domain/ports';
import { changeUser, makeSequentialIds, makeSettableClock } from '@chapter/domain/testing';
import { connectPostgres } from '../packages/adapters-postgres/src/index.ts';
import { makeBreakableNetwork } from '../test-support/breakable-network.ts';
import { fill } from '../test-support/lists/fill.ts';
import { copyAsStandby, initCluster, startCluster } from '../test-support/postgres/embedded.ts';
import { query } from '../test-support/query.ts';
import { cpuSecondsOf } from './processes.ts';
import { describeRun, list, publish, table } from './report/markdown.ts';
import { format, percentiles, sum } from './report/numbers.ts';
import { isShort } from './settings.ts';

const SECONDS = isShort() ? 0.1 : 10;
const DIVISIONS = 20;
const READERS = 8;
const REPLICAS = 3;
const LAGS_MS = [0, 100, 2000, 30_000];
/** Changes per second of each division. */
const RATES = [0.01, 0.1, 1];

await using stack = new AsyncDisposableStack();
const files = initCluster();
const copies = Array.from({ length: REPLICAS }, () => copyAsStandby(files));
const primary = await startCluster(files);
const { port, username, password } = new URL(primary.url);
const primary_conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
const standbys = await Promise.all(copies.map((copy) => startCluster(copy, { primary_conninfo })));
const networks = await Promise.all(standbys.map(({ url }) => makeBreakableNetwork(url)));
for (const server of [primary, ...standbys]) stack.defer(server.stop);
await fill(primary.url, { layout: 'many', members: 100 * DIVISIONS });
const run = await describeRun('a primary, three replicas and the readers', primary.url);
const [{ pid } = {}] = await query(
  primary.url,
  `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
);
const users = await query(primary.url, 'select distinct on (division_id) id, division_id from user_account');

const open = (replicaUrls: readonly string[] = []) => {
  const database = connectPostgres({
    requestDeadlineMs: 5000,
    url: primary.url,
    replicaUrls,
    clock: makeSettableClock(),
    ids: makeSequentialIds(),
  });
  stack.defer(() => database.close());
  return database;
};
const [alone, writer, shared] = [open(), open(), open(networks.map(({ url }) => url))];
let changes = 0;
const change = (at: number) => changeUser(writer, String(users[at]?.['id']), { firstName: `Name ${changes}` });
// Disposed of first, because a database waits for connections that hang.
for (const network of networks) stack.defer(() => network.close());
for (const at of users.keys()) await change(at);
const page = listQuery<UserListField>({ size: 50 });

const ofReplicas = ({ divisionReads }: typeof alone): number => {
  const { primary: _, ...replicas } = divisionReads();
  return sum(Object.values(replicas));
};

/** Changes each division `rate` times per second at random moments, until `end`. No change equals an earlier one. */
const write = async (rate: number, end: number): Promise<void> => {
  while (performance.now() < end) {
    await sleep((-Math.log(1 - Math.random()) * 1000) / (rate * DIVISIONS));
    changes += 1;
    await change(Math.floor(Math.random() * DIVISIONS));
  }
};

/** Reads lists of the divisions in turn. */
const load = async (database: typeof alone) => {
  const end = performance.now() + SECONDS * 1000;
  const times: number[] = [];
  const [before, cpuBefore] = [ofReplicas(database), cpuSecondsOf(Number(pid))];
  const read = async (reader: number): Promise<void> => {
    for (let at = reader; performance.now() < end; at += 1) {
      const began = performance.now();
      await database.users.list(String(users[at % DIVISIONS]?.['division_id']), page);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)));
  const replica = ofReplicas(database) - before;
  const cpu = ((cpuSecondsOf(Number(pid)) - cpuBefore) / times.length) * 1e6;
  const [{ p99 }, longest] = [percentiles(times), Math.max(...times)];
  return { share: `${((100 * replica) / times.length).toFixed(1)} %`, cpu: format(cpu), p99, longest };
};

await load(shared);
const rows: string[][] = [];
for (const lag of LAGS_MS) {
  for (const { url } of standbys) {
    await query(url, `alter system set recovery_min_apply_delay = ${lag}`);
    await query(url, 'select pg_reload_conf()');
  }
  const shares: string[] = [];
  for (const rate of RATES) {
    // Lists find the state of a division that has changed at this rate for longer than the lag.
    const warmUpMs = isShort() ? Math.min(lag, 1000) : 2 * lag;
    const writing = write(rate, performance.now() + warmUpMs + SECONDS * 1000);
    await sleep(warmUpMs);
    shares.push((await load(shared)).share);
    await writing;
  }
  rows.push([`${lag / 1000} s`, ...shares]);
}
const behind = standbys.map(({ url }) =>
  query(url, 'alter system reset all').then(() => query(url, 'select pg_reload_conf()')),
);
await Promise.all(behind);
const [onPrimary, usual] = [await load(alone), await load(shared)];
networks[0]?.hang();
const hung = await load(shared);
networks[0]?.mend();
const facts = [
  `${READERS} readers of ${DIVISIONS} divisions of 100 members, pages of 50, each load ${SECONDS} s`,
  `CPU of the primary per list: ${onPrimary.cpu} µs without replicas, ${usual.cpu} µs with ${REPLICAS}`,
  `p99 and longest time of a list: ${format(usual.p99)} and ${format(usual.longest)} ms with ${REPLICAS} replicas; ${format(hung.p99)} and ${format(hung.longest)} ms in the ${SECONDS} s in which one of them begins to hang, and replicas served ${hung.share}`,
];
if (hung.p99 > 2 * usual.p99 && !isShort()) throw new Error(`p99 with a replica that hangs: ${format(hung.p99)} ms`);
const head = `lag | ${RATES.map((rate) => `${rate} changes of a division per second`).join(' | ')}`;
publish('docs/scaling.md', 'npm run bench:replicas', [list([...run, ...facts]), table(head, rows)].join('\n\n'));
await stack.disposeAsync();
// Node keeps the handles of sockets that were reset while they hung, and would wait for them.
process.exit();
