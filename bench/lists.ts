// Measures list pages in databases of growing size, checks their plans, and writes the results into docs/lists.md.
// BENCH=short: small databases, printed only.
import { Client } from 'pg';
import { makePool } from '../packages/adapters-postgres/src/connection/pool.ts';
import { runnerOn } from '../packages/adapters-postgres/src/connection/runner.ts';
import { makeListRows } from '../packages/adapters-postgres/src/lists/list-rows.ts';
import { listPageKinds } from '../test-support/lists/all-page-kinds.ts';
import { explainPage } from '../test-support/lists/explain.ts';
import { fill } from '../test-support/lists/fill.ts';
import type { Way } from '../test-support/lists/members.ts';
import { exceededLimits } from '../test-support/lists/plan-limits.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { listReport, type Row } from './lists/report.ts';
import { circumstances, writeBetween } from './report/markdown.ts';
import { percentiles } from './report/numbers.ts';

const WAYS = ['one', 'many'] as const;
/** A page is read again until it has taken this long, if it has been read so often. */
const [MAX_MS, MIN_READS] = [2000, 10];
const isShort = process.env['BENCH'] === 'short';
const sizes = isShort ? [1000, 2000] : [10_000, 100_000, 1_000_000];
// During the first reads, pages get into memory, and the server settles on a plan.
const [warmUps, rounds] = isShort ? [1, 2] : [10, 300];

await using stack = new AsyncDisposableStack();
const server = await startEmbedded(isShort ? {} : { shared_buffers: '2GB', max_wal_size: '2GB' });
stack.defer(server.stop);
const conditions = [
  ...circumstances('database and bench', [await versionOf(server.url)]),
  `each page ${rounds} times in each database (less often where that takes more than ${MAX_MS / 1000} s), one after the other on one connection, the databases in turn, after ${warmUps} times that do not count; all of it is in memory`,
];
const admin = new Client({ connectionString: server.url });
await admin.connect();
stack.defer(() => admin.end());

/** Fills a database, and connects to it with one connection. */
const openDatabase = async (way: Way, members: number) => {
  const name = `lists_${way}_${members}`;
  const url = server.url.replace(/[^/]*$/, name);
  await admin.query(`create database ${name}`);
  await fill(url, { way, members });
  console.error(`${name} is filled`);
  const pool = makePool({ url, poolSize: 1, statementTimeoutMs: 0 });
  stack.defer(() => pool.end());
  return { way, members, pool, listRows: makeListRows(runnerOn(pool)), kinds: await listPageKinds(pool, way) };
};

const databases: Awaited<ReturnType<typeof openDatabase>>[] = [];
for (const way of WAYS) for (const members of sizes) databases.push(await openDatabase(way, members));

/** Reads a page in every database that has it, in turn, so that a slow moment of the machine is shared by all. */
const measurePage = async (at: number): Promise<readonly Row[]> => {
  const reads = databases.flatMap(({ kinds, listRows, way }) => {
    const kind = kinds[at];
    return kind ? [{ kind, listRows, way, spentMs: 0, times: [] as number[] }] : [];
  });
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const one of reads) {
      if (one.spentMs > MAX_MS && one.times.length >= MIN_READS) continue;
      const began = performance.now();
      await one.kind.read(one.listRows);
      const time = performance.now() - began;
      one.spentMs += time;
      if (round >= warmUps) one.times.push(time);
    }
  }
  return WAYS.flatMap((way) => {
    const ofWay = reads.filter((one) => one.way === way);
    const [first] = ofWay;
    return first ? Object.assign({ way, measured: ofWay.map(({ times }) => percentiles(times)) }, first.kind) : [];
  });
};

/** Checks the plans of the largest databases against the limits, planned for the values and for all values. */
const checkPlans = async (): Promise<string> => {
  const exceeded: string[] = [];
  let count = 0;
  for (const { pool, kinds, way } of databases.filter(({ members }) => members === sizes.at(-1))) {
    for (const kind of kinds) {
      count += 1;
      for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
        const found = exceededLimits(kind, await explainPage(pool, kind, mode));
        exceeded.push(...found.map((limit) => `- \`${kind.query}\`, ${kind.about}, ${way}, ${mode}: ${limit}`));
      }
    }
  }
  const limits = 'the limits of rows read, rows sorted and blocks (`test-support/lists/plan-limits.ts`)';
  if (exceeded.length === 0) return `The plans of all ${count} pages keep ${limits}.`;
  return `Beyond ${limits}:\n\n${exceeded.join('\n')}`;
};

const rows: Row[] = [];
// The last database, of many divisions, has all kinds.
for (const at of databases.at(-1)?.kinds.keys() ?? []) rows.push(...(await measurePage(at)));
const report = listReport(conditions, sizes, rows, await checkPlans());
console.log(report);
if (!isShort) writeBetween('docs/lists.md', 'npm run bench:lists', report);
