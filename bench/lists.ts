// Measures list pages in databases of growing size, checks their plans, and writes the results into docs/lists.md.
// BENCH=short: small databases, printed only.
import { Client } from 'pg';
import { makePool } from '../packages/adapters-postgres/src/connection/pool.ts';
import { runnerOn } from '../packages/adapters-postgres/src/connection/runner.ts';
import { makeReadPage } from '../packages/adapters-postgres/src/lists/read-page.ts';
import { isDomainError } from '../packages/domain/src/index.ts';
import { listPageKinds } from '../test-support/lists/all-page-kinds.ts';
import { explainPage } from '../test-support/lists/explain.ts';
import { fill } from '../test-support/lists/fill.ts';
import type { Layout } from '../test-support/lists/members.ts';
import { PATHS } from '../test-support/lists/page-kinds.ts';
import { exceededLimits } from '../test-support/lists/plan-limits.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { describeRun, writeBetween } from '../test-support/report/markdown.ts';
import { percentiles } from '../test-support/report/numbers.ts';
import { listReport, type Row } from './lists/report.ts';

const LAYOUTS = ['one', 'many'] as const;
/** Stop reading a page after `MAX_MS` in total, if it has been read `MIN_READS` times. */
const [MAX_MS, MIN_READS] = [2000, 10];
const isShort = process.env['BENCH'] === 'short';
const sizes = isShort ? [1000, 2000] : [10_000, 100_000, 1_000_000];
// The first reads load pages into memory, and the server chooses a plan.
const [warmUps, rounds] = isShort ? [1, 2] : [10, 300];
await using stack = new AsyncDisposableStack();
const server = await startEmbedded(isShort ? {} : { shared_buffers: '2GB', max_wal_size: '2GB' });
stack.defer(server.stop);
const conditions = [
  ...describeRun('database and bench', [await versionOf(server.url)]),
  `each page is read ${rounds} times in each database (less often if that takes more than ${MAX_MS / 1000} s), on one connection, in the databases in turn, after ${warmUps} reads to warm up; all data is in memory`,
];
const admin = new Client({ connectionString: server.url });
await admin.connect();
stack.defer(() => admin.end());

/** Fills a database and opens one connection to it. */
const openDatabase = async (layout: Layout, members: number) => {
  const name = `lists_${layout}_${members}`;
  const url = server.url.replace(/[^/]*$/, name);
  await admin.query(`create database ${name}`);
  await fill(url, { layout, members });
  console.error(`${name} is filled`);
  const pool = makePool({ url, poolSize: 1, statementTimeoutMs: 0 });
  stack.defer(() => pool.end());
  const kinds = await listPageKinds(pool, layout);
  return { layout, members, pool, readPage: makeReadPage(runnerOn(pool)), kinds };
};

const databases: Awaited<ReturnType<typeof openDatabase>>[] = [];
for (const layout of LAYOUTS) for (const members of sizes) databases.push(await openDatabase(layout, members));

const acceptRefusal = (error: unknown): true => {
  if (!isDomainError(error)) throw error;
  return true;
};

/** Reads a page in every database of a layout in turn, so that a slow moment of the machine is shared by all. */
const measurePage = async (layout: Layout, at: number): Promise<readonly Row[]> => {
  const reads = databases.flatMap(({ kinds, readPage, ...database }) => {
    const kind = database.layout === layout ? kinds[at] : undefined;
    return kind ? [{ kind, readPage, spentMs: 0, isRefused: false, times: [] as number[] }] : [];
  });
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const one of reads) {
      if (one.spentMs > MAX_MS && one.times.length >= MIN_READS) continue;
      const began = performance.now();
      one.isRefused = await one.kind.read(one.readPage).then(() => false, acceptRefusal);
      const time = performance.now() - began;
      one.spentMs += time;
      if (round >= warmUps) one.times.push(time);
    }
  }
  const measured = reads.map(({ times, isRefused }) => ({ p50: percentiles(times).p50, isRefused }));
  return reads.slice(0, 1).map(({ kind }) => Object.assign({ measured }, kind));
};

/** Checks the custom and generic plans of the largest databases against the limits. */
const checkPlans = async (): Promise<string> => {
  const exceeded: string[] = [];
  let count = 0;
  for (const { pool, kinds, layout } of databases.filter(({ members }) => members === sizes.at(-1))) {
    for (const kind of kinds) {
      count += 1;
      for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
        const found = exceededLimits(kind, await explainPage(pool, kind, mode));
        exceeded.push(...found.map((limit) => `- \`${kind.query}\`, ${kind.about}, ${layout}, ${mode}: ${limit}`));
      }
    }
  }
  const limits = 'the limits of rows read, rows sorted and blocks (`test-support/lists/plan-limits.ts`)';
  if (exceeded.length === 0) return `The plans of all ${count} pages stay within ${limits}.`;
  return `These plans exceed ${limits}:\n\n${exceeded.join('\n')}`;
};

const rows: Row[] = [];
// Lists of users are slowest in one large division, and lists of divisions with many divisions.
for (const layout of LAYOUTS) {
  for (const [at, { query }] of databases.find((database) => database.layout === layout)?.kinds.entries() ?? []) {
    if (layout === 'one' || query.startsWith(PATHS.divisions)) rows.push(...(await measurePage(layout, at)));
  }
}
const report = listReport(conditions, sizes, rows, await checkPlans());
console.log(report);
if (!isShort) writeBetween('docs/lists.md', 'npm run bench:lists', report);
