import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { shown } from '../report/numbers.ts';
import type { Flood } from './flood.ts';
import { KINDS, type Timing } from './timing.ts';

/** With what a run was made. */
export interface Made {
  readonly database: string;
  readonly scrypt: { readonly logN: number; readonly p: number };
}

const verdict = (good: boolean): string => (good ? 'yes' : 'NO');

/** The report of a run, in Markdown. */
export const loginReport = ({ database, scrypt }: Made, timing: Timing, flood: Flood): string => {
  const [cpu] = cpus();
  const { usual, flooded, answers } = flood;
  const ratio = flooded.p99 / usual.p99;
  const statuses = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
  return [
    `Made by \`npm run bench:login\` at ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC on ${cpus().length} × ${cpu?.model.trim()},`,
    `${shown(totalmem() / 2 ** 30)} GiB, ${type()} ${release()} (load average at the end ${loadavg()[0]?.toFixed(1)}; service, database and those who ask share all of it),`,
    `Node.js ${process.versions.node}, ${database}, scrypt with logN ${scrypt.logN}, r 8, p ${scrypt.p}.`,
    '',
    `Failed logins, ${timing.samples} of each kind, one after the other in random order; the median takes ${KINDS.map((kind) => `${shown(timing.medians[kind])} ms (${kind})`).join(', ')}:`,
    '',
    '| told apart by time | area under the ROC curve | between 0.4 and 0.6 |',
    '| --- | --- | --- |',
    ...timing.areas.map(
      ({ pair, area }) => `| ${pair} | ${area.toFixed(3)} | ${verdict(area >= 0.4 && area <= 0.6)} |`,
    ),
    '',
    `A flood of ${flood.rate} logins a second (${statuses.join(', ')}) beside ${flood.others} reads a second by others:`,
    '',
    '| reads | p50 | p99 |',
    '| --- | --- | --- |',
    `| usual | ${shown(usual.p50)} ms | ${shown(usual.p99)} ms |`,
    `| during the flood | ${shown(flooded.p50)} ms | ${shown(flooded.p99)} ms |`,
    '',
    `The p99 is ${shown(ratio)} times the usual; within twice: ${verdict(ratio <= 2)}.`,
  ].join('\n');
};
