// Measures what the steps gave that can be taken back, and writes it into docs/performance.md: the service with all of them
// and without one take turns. BENCH=short: little data and one round, printed only. See bench/README.md for what can be set.
import { whenAndWhere } from './circumstances.ts';
import { kindNamed } from './kinds.ts';
import { summarize } from './report/summary.ts';
import { writeBetween } from './report/write-between.ts';
import { runRounds } from './rounds.ts';
import { readSettings } from './settings.ts';
import { openStage } from './stage.ts';
import { type StepFound, stepsReport } from './steps/report.ts';
import { steps } from './steps/steps.ts';

const short = process.env['BENCH'] === 'short';
const asked = short ? {} : { BENCH_ROUNDS: '6', BENCH_SECONDS: '2' };
const settings = readSettings({ ...asked, ...process.env });
const { connections, rounds, seconds } = settings;
const say = (line: string): void => console.error(line);
const stage = await openStage(settings, say);

try {
  const { database, generator } = stage;
  const circumstances = [
    ...whenAndWhere('servers, database and load generator', [database.version, generator.name]),
    `${rounds} rounds of ${seconds} s at ${connections} connections, with and without in turn; ratios are medians of the rounds`,
  ];
  const service = await stage.start('service');
  const world = await stage.worldOf(service);
  const vacuum = () => database.client.query('vacuum user_account');
  const found: StepFound[] = [];
  for (const step of steps) {
    say(`${step.number}. ${step.words}: the floor is the service without`);
    const floor = await stage.start('service', step.without);
    const ports = { generator, databasePid: database.pid, vacuum, floor, service, world, connections, seconds, say };
    const results = await runRounds(step.kinds.map(kindNamed), rounds, ports);
    await floor.stop();
    found.push({ step, summaries: results.map(summarize) });
  }
  const report = stepsReport(circumstances, found);
  console.log(report);
  if (!short) writeBetween('docs/performance.md', 'npm run bench:steps', report);
} finally {
  await stage.close();
}
