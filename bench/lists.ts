// Measures list pages in divisions of growing size, and checks their plans. Writes a summary into docs/lists.md and all durations
// into bench/LISTS.md. The first argument is the number of members of the largest division (a million); with fewer, the results
// are only printed. BENCH=short: each page twice, in small databases.
import { makePool } from '../packages/adapters-postgres/src/connection/pool.ts';
import { runnerOn } from '../packages/adapters-postgres/src/connection/runner.ts';
import { makeReadPage } from '../packages/adapters-postgres/src/lists/read-page.ts';
import { divisionKinds, listPageKinds, userKinds } from '../test-support/lists/all-page-kinds.ts';
import { fill } from '../test-support/lists/fill.ts';
import { measuredDivisions, type Population, totalOf } from '../test-support/lists/members.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { query } from '../test-support/query.ts';
import { checkPlans } from './lists/check-plans.ts';
import { measurePages } from './lists/measure-pages.ts';
import { type IndexUse, listReports } from './lists/report.ts';
import { describeRun, writeBetween } from './report/markdown.ts';

const MILLION = 1_000_000;
const isShort = process.env['BENCH'] === 'short';
const members = Number(process.argv[2] ?? (isShort ? 4000 : MILLION));
const smaller = [members / 1000, members / 100, members / 10].filter((size) => size >= 40);
const divisionCounts = [members / 10_000, members / 1000, members / 100].filter((count) => count >= 10);
const [warmUps, rounds] = isShort ? [1, 2] : [10, 300];
const repetitions = { warmUps, rounds, maxMs: 2000, minReads: 10 };

await using stack = new AsyncDisposableStack();
// Without autovacuum, the state of the tables depends only on this program.
const memory = isShort ? {} : { shared_buffers: '2GB', max_wal_size: '2GB' };
const server = await startEmbedded({ autovacuum: 'off', ...memory });
stack.defer(server.stop);
const run = describeRun('database and bench', [await versionOf(server.url)]);

/** Creates and fills a database, and opens one connection to it. */
const openDatabase = async (name: string, population: Population) => {
  await query(server.url, `create database ${name}`);
  const url = server.url.replace(/[^/]*$/, name);
  await fill(url, population);
  const pool = makePool({ url, poolSize: 1, statementTimeoutMs: 0 });
  stack.defer(() => pool.end());
  return { pool, readPage: makeReadPage(runnerOn(pool)) };
};

const population = { layout: 'one', members, smaller } as const;
const service = await openDatabase('service', population);
const divisions = [];
for (const { id, size } of measuredDivisions(population)) {
  divisions.push({ size, kinds: await userKinds(service.pool, id), readPage: service.readPage });
}
const pages = await measurePages(divisions, repetitions);

const services = [];
for (const count of divisionCounts) {
  const opened = await openDatabase(`divisions_${count}`, { layout: 'many', members: count * 100 });
  services.push({ ...opened, kinds: await divisionKinds(opened.pool) });
}
const divisionPages = await measurePages(services, repetitions);

const [largest] = services.slice(-1);
if (!largest) throw new Error('there is no service with many divisions');
const plans = await checkPlans([
  { name: 'one large division', pool: service.pool, kinds: divisions.at(-1)?.kinds ?? [] },
  { name: 'many divisions', pool: largest.pool, kinds: await listPageKinds(largest.pool, 'many') },
]);
const { rows: indexes } = await largest.pool.query<Omit<IndexUse, 'readers'>>(
  `select indexrelid::regclass::text as name, pg_relation_size(indexrelid)::float8 as bytes from pg_index
    where indrelid = 'user_account'::regclass order by bytes, name`,
);

const { summary, all } = listReports({
  conditions: [
    ...run,
    `a service of ${totalOf(population).toLocaleString('en')} members: divisions of the sizes in the table, their rows mixed, and divisions of 100`,
    `each page is read ${rounds} times in each division (less often if that takes more than ${repetitions.maxMs / 1000} s), on one connection, in the divisions in turn, after ${warmUps} reads to warm up; all data is in memory`,
  ],
  sizes: divisions.map(({ size }) => size),
  pages,
  divisionCounts,
  divisionPages,
  plans,
  indexes: indexes.map(({ name, bytes }) => ({ name, bytes, readers: [...(plans.readersOf.get(name) ?? [])] })),
});
console.log(`${summary}\n\n${all}`);
if (members >= MILLION) {
  writeBetween('docs/lists.md', 'npm run bench:lists', summary);
  writeBetween('bench/LISTS.md', 'npm run bench:lists', all);
}
