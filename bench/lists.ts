// Measures list pages in divisions of growing size, and checks their plans. Writes a summary into docs/lists.md and all durations
// into bench/LISTS.md. BENCH=short: each page twice, in small databases, printed only.
import { makePool } from '../packages/adapters-postgres/src/connection/pool.ts';
import { runnerOn } from '../packages/adapters-postgres/src/connection/runner.ts';
import { makeReadPage, onlyFrom } from '../packages/adapters-postgres/src/lists/read-page.ts';
import { divisionKinds, listPageKinds, userKinds } from '../test-support/lists/all-page-kinds.ts';
import { explainPage } from '../test-support/lists/explain.ts';
import { fill } from '../test-support/lists/fill.ts';
import { measuredDivisions, type Population, totalOf } from '../test-support/lists/members.ts';
import { exceededLimits } from '../test-support/lists/plan-limits.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { query } from '../test-support/query.ts';
import { goalsOf, measurePages, pagesTable, slowestOfGroups } from './lists/pages.ts';
import { describeRun, list, publish } from './report/markdown.ts';
import { isShort } from './settings.ts';

const members = isShort() ? 4000 : 1_000_000;
const smaller = [members / 1000, members / 100, members / 10].filter((size) => size >= 40);
const divisionCounts = [members / 10_000, members / 1000, members / 100].filter((count) => count >= 10);
const rounds = isShort() ? 2 : 300;

await using stack = new AsyncDisposableStack();
// Without autovacuum, the state of the tables depends only on this program.
const memory = isShort() ? {} : { shared_buffers: '2GB', max_wal_size: '2GB' };
const server = await startEmbedded({ autovacuum: 'off', ...memory });
stack.defer(server.stop);
const run = await describeRun('database and bench', server.url);

/** Creates and fills a database, and opens one connection to it. */
const openDatabase = async (name: string, population: Population) => {
  await query(server.url, `create database ${name}`);
  const url = server.url.replace(/[^/]*$/, name);
  await fill(url, population);
  const pool = makePool({ url, poolSize: 1, statementTimeoutMs: 0 });
  stack.defer(() => pool.end());
  return { pool, readPage: makeReadPage(onlyFrom(runnerOn(pool))) };
};

const population = { layout: 'one', members, smaller } as const;
const service = await openDatabase('one_large_division', population);
const divisions = [];
for (const { id, size } of measuredDivisions(population)) {
  divisions.push({ size, kinds: await userKinds(service.pool, id), readPage: service.readPage });
}
const sizes = divisions.map(({ size }) => size);
const pages = await measurePages(divisions, rounds);

const services = [];
for (const count of divisionCounts) {
  const opened = await openDatabase(`divisions_${count}`, { layout: 'many', members: count * 100 });
  services.push({ ...opened, kinds: await divisionKinds(opened.pool) });
}
const divisionPages = await measurePages(services, rounds);

const [{ pool } = service] = services.slice(-1);
const plans = [
  ...(divisions.at(-1)?.kinds ?? []).map((kind) => ({ name: 'one large division', pool: service.pool, kind })),
  ...(await listPageKinds(pool, 'many')).map((kind) => ({ name: 'many divisions', pool, kind })),
];
const exceeded: string[] = [];
for (const { name, pool: from, kind } of plans) {
  for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
    const limits = exceededLimits(kind, await explainPage(from, kind, mode));
    exceeded.push(...limits.map((limit) => `\`${kind.query}\`, ${kind.about}, ${name}, ${mode}: ${limit}`));
  }
}

const conditions = [
  ...run,
  `a service of ${totalOf(population).toLocaleString('en')} members: divisions of the sizes in the table, their rows mixed, and divisions of 100`,
  `each page is read ${rounds} times in each division (less often if that takes more than 2 s), on one connection, in the divisions in turn, after reads to warm up; all data is in memory`,
];
const limits = 'the limits of rows read, rows sorted and blocks (`test-support/lists/plan-limits.ts`)';
const slowest = slowestOfGroups(pages, () => true);
const summary = [
  list([...conditions, ...goalsOf(sizes, pages)]),
  exceeded.length === 0
    ? `The plans of all ${plans.length} pages stay within ${limits}.`
    : `These plans exceed ${limits}:\n\n${list(exceeded)}`,
  pagesTable(sizes, slowest),
].join('\n\n');
const all = [
  list(conditions),
  pagesTable(sizes, slowestOfGroups(pages)),
  'Lists of divisions, by the number of divisions:',
  pagesTable(divisionCounts, divisionPages),
].join('\n\n');
publish('docs/lists.md', 'npm run bench:lists', summary);
publish('bench/LISTS.md', 'npm run bench:lists', all);
