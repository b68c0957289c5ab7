// Measures what each step towards speed gives that can be taken back, and writes it into docs/performance.md: the service
// with all of them and without one take turns. See bench/README.md for what can be set.
import { circumstances } from './circumstances.ts';
import { writeBetween } from './report/write-between.ts';
import { runRounds } from './rounds.ts';
import { readSettings } from './settings.ts';
import { openStage } from './stage.ts';
import { type StepFound, stepsReport } from './steps/report.ts';
import { steps } from './steps/steps.ts';

const asked = { BENCH_ROUNDS: '6', BENCH_SECONDS: '2', BENCH_CONNECTIONS: '32' };
const isShort = process.env['BENCH'] === 'short';
const settings = readSettings(isShort ? process.env : { ...process.env, ...asked });
const { connections, rounds, seconds } = settings;
const say = (line: string): void => console.error(line);
const stage = await openStage(settings, say);

try {
  const how = `${rounds} rounds of ${seconds} s at ${connections} connections, without and with the step in turn, both started anew for it`;
  const when = circumstances(settings, stage.versions, how);
  // Walking to the places is work, which would favour whoever did it.
  const walked = await stage.start('service');
  const world = await stage.worldOf(walked);
  await walked.stop();
  const found: StepFound[] = [];
  for (const step of steps) {
    say(step.title);
    // Both anew: the one that has run for longer would be the faster one.
    const [floor, service] = [await stage.start('service', step.without), await stage.start('service')];
    const ports = { ...stage.ports, floor, service, world, against: 'without' };
    found.push({ step, results: await runRounds(step.kinds, rounds, ports) });
    await floor.stop();
    await service.stop();
  }
  const report = stepsReport(when, found);
  console.log(report);
  if (!isShort) writeBetween('docs/performance.md', 'npm run bench:steps', report);
} finally {
  await stage.close();
}
