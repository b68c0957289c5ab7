// Measures list pages in divisions of growing size, checks their plans, and measures what the indexes cost. Writes a summary
// into docs/lists.md and all durations into bench/LISTS.md. The first argument is the number of members of the largest division
// (a million); with fewer, the results are only printed. BENCH=short: each page twice, in small databases.
import { divisionKinds, listPageKinds, userKinds } from '../test-support/lists/all-page-kinds.ts';
import { measuredDivisions, totalOf } from '../test-support/lists/members.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { checkPlans } from './lists/check-plans.ts';
import { isCompared } from './lists/chosen-kinds.ts';
import { countVisibleBlocks, openFilledService } from './lists/filled-service.ts';
import { measureIndexCosts } from './lists/index-costs.ts';
import { measurePages } from './lists/measure-pages.ts';
import { otherShapes, readOtherShapes } from './lists/other-shapes.ts';
import { listReports } from './lists/report.ts';
import { describeRun, writeBetween } from './report/markdown.ts';

const MILLION = 1_000_000;
const isShort = process.env['BENCH'] === 'short';
const members = Number(process.argv[2] ?? (isShort ? 4000 : MILLION));
const smaller = [members / 1000, members / 100, members / 10].filter((size) => size >= 40);
const divisionCounts = [members / 10_000, members / 1000, members / 100].filter((count) => count >= 10);
const [warmUps, rounds] = isShort ? [1, 2] : [10, 300];
const repetitions = { warmUps, rounds, maxMs: 2000, minReads: 10 };
const newMembers = isShort ? { count: 100, rounds: 1 } : { count: 10_000, rounds: 3 };

await using stack = new AsyncDisposableStack();
// Without autovacuum, the state of the tables depends only on this program.
const memory = isShort ? {} : { shared_buffers: '2GB', max_wal_size: '2GB' };
const server = await startEmbedded({ autovacuum: 'off', ...memory });
stack.defer(server.stop);
const run = describeRun('database and bench', [await versionOf(server.url)]);

const population = { layout: 'one', members, smaller } as const;
const service = await openFilledService(server.url, 'service', population, { stack, isVacuumed: false });
const divisions = [];
for (const { id, size } of measuredDivisions(population)) {
  divisions.push({ id, size, kinds: await userKinds(service.pool, id), readPage: service.readPage });
}
const unvacuumed = await measurePages(divisions, repetitions, isCompared);
const visibleBlocks = await countVisibleBlocks(service.pool);
await service.pool.query('vacuum (analyze)');
const usual = await measurePages(divisions, repetitions);
await readOtherShapes(service.readPage, divisions[0]?.id);
const { rowCount: prepared } = await service.pool.query('select from pg_prepared_statements');
const afterOtherShapes = await measurePages(divisions, repetitions, isCompared);

const services = [];
for (const count of divisionCounts) {
  const many = { layout: 'many', members: count * 100 } as const;
  const opened = await openFilledService(server.url, `divisions_${count}`, many, { stack });
  services.push({ ...opened, kinds: await divisionKinds(opened.pool) });
}
const ofDivisions = await measurePages(services, repetitions);

const [largest] = services.slice(-1);
if (!largest) throw new Error('there is no service with many divisions');
const plans = await checkPlans([
  { name: 'one large division', pool: service.pool, kinds: divisions.at(-1)?.kinds ?? [] },
  { name: 'many divisions', pool: largest.pool, kinds: await listPageKinds(largest.pool, 'many') },
]);
const costs = await measureIndexCosts(largest.url, largest.population, newMembers);

const { summary, all } = listReports({
  conditions: [
    ...run,
    `a service of ${totalOf(population).toLocaleString('en')} members: divisions of the sizes in the table, their rows mixed, and divisions of 100`,
    `each page is read ${rounds} times in each division (less often if that takes more than ${repetitions.maxMs / 1000} s), on one connection, in the divisions in turn, after ${warmUps} reads to warm up; all data is in memory`,
  ],
  sizes: divisions.map(({ size }) => size),
  usual,
  unvacuumed,
  afterOtherShapes,
  divisionCounts,
  ofDivisions,
  plans,
  visibleBlocks,
  otherShapes: { read: otherShapes.length, prepared: prepared ?? 0 },
  storage: { members: largest.population.members, costs },
});
console.log(`${summary}\n\n${all}`);
if (members >= MILLION) {
  writeBetween('docs/lists.md', 'npm run bench:lists', summary);
  writeBetween('bench/LISTS.md', 'npm run bench:lists', all);
}
