// Measures pages of lists in databases of growing size, and writes what it finds into docs/lists.md, and the plans into
// docs/lists-plans.md. With the argument `fill` it only fills the databases, which stay. BENCH=short: small ones that do
// not stay, printed only.
import { versionOf } from '../test-support/postgres/version.ts';
import { whenAndWhere } from './circumstances.ts';
import { databaseOf, dropDatabases } from './lists/databases.ts';
import { measureKind, openSubject, type Subject } from './lists/measure.ts';
import { planReport } from './lists/plan-report.ts';
import { listReport, type Row } from './lists/report.ts';
import { openServer } from './lists/server.ts';
import { writeBetween } from './report/write-between.ts';

const COMMAND = 'npm run bench:lists';

const WAYS = ['one', 'many'] as const;

const fillOnly = process.argv[2] === 'fill';
const short = process.env['BENCH'] === 'short';
const sizes = short ? [1000, 2000] : [10_000, 100_000, 1_000_000];
const populations = WAYS.flatMap((way) => sizes.map((members) => ({ way, members })));
const effort = short ? { warmUps: 1, rounds: 2, budget: 100 } : { warmUps: 10, rounds: 300, budget: 2000 };

const server = await openServer(process.env['BENCH_DATABASE_URL']);
const subjects: Subject[] = [];

const measureAll = async (): Promise<readonly Row[]> => {
  // The last one, of many divisions, has all kinds.
  const kinds = subjects.at(-1)?.kinds ?? [];
  const rows: Row[] = [];
  for (const [at, { group, query, about }] of kinds.entries()) {
    const measured = await measureKind(subjects, at, effort);
    for (const way of WAYS) {
      const ofWay = measured.filter(({ population }) => population.way === way);
      if (ofWay.length > 0) rows.push({ way, group, query, about, measured: ofWay });
    }
  }
  return rows;
};

const measure = async (): Promise<void> => {
  const circumstances = [
    ...whenAndWhere('database and bench', [await versionOf(server.url)]),
    `each page ${effort.rounds} times in each database (less often where that takes more than ${effort.budget / 1000} s), one after the other on one connection, the databases in turn, after ${effort.warmUps} times that do not count; all of it is in memory`,
  ];
  const report = listReport(circumstances, sizes, await measureAll());
  console.log(report);
  const [one, many] = subjects.filter(({ population }) => population.members === sizes.at(-1));
  if (!one || !many) throw new Error('there is no database of each kind');
  const { limits, plans } = await planReport(one, many);
  console.log(`\n${limits}`);
  if (short) return;
  writeBetween('docs/lists.md', COMMAND, report);
  writeBetween('docs/lists-plans.md', COMMAND, `${limits}\n\n${plans}`);
};

try {
  for (const population of populations) {
    const url = await databaseOf(server.admin, server.url, population);
    if (!fillOnly) subjects.push(await openSubject(url, population));
  }
  if (!fillOnly) await measure();
} finally {
  for (const { pool } of subjects) await pool.end();
  if (short) await dropDatabases(server.admin, populations);
  await server.close();
}
