import { shown } from '../report/numbers.ts';
import { table } from '../report/table.ts';
import type { Flood, Latency } from './flood.ts';
import type { PriorityResult } from './priorities.ts';
import { KINDS, type Timing } from './timing.ts';

const verdict = (good: boolean): string => (good ? 'yes' : 'NO');

const pair = ({ p50, p99 }: Latency): string => `${shown(p50)} · ${shown(p99)}`;

/** The report of priorities, in Markdown. */
export const priorityReport = (circumstances: readonly string[], results: readonly PriorityResult[]): string =>
  [
    ...circumstances.map((line) => `- ${line}`),
    '',
    'Each priority of the threads that hash, on a service of its own, without and beside busy loops of other programs; p50 · p99 in ms:',
    '',
    table(
      ['nice', 'busy loops', 'reads, usual', 'reads, flood', 'ratio of p99', 'login, alone', 'login, flood'],
      results.map(({ nice, loops, login, flood: { usual, flooded, logins } }) => [
        `+${nice}`,
        String(loops),
        pair(usual),
        pair(flooded),
        shown(flooded.p99 / usual.p99),
        pair(login),
        pair(logins),
      ]),
    ),
  ].join('\n');

/** The report of a run, in Markdown. `circumstances` are lines that say how it was made. */
export const loginReport = (circumstances: readonly string[], timing: Timing, flood: Flood): string => {
  const { usual, flooded, answers } = flood;
  const ratio = flooded.p99 / usual.p99;
  const statuses = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
  return [
    ...circumstances.map((line) => `- ${line}`),
    '',
    `Failed logins, ${timing.samples} of each kind, one after the other in random order; the median takes ${KINDS.map((kind) => `${shown(timing.medians[kind])} ms (${kind})`).join(', ')}:`,
    '',
    table(
      ['told apart by time', 'area under the ROC curve', 'between 0.4 and 0.6'],
      timing.areas.map(({ pair, area }) => [pair, area.toFixed(3), verdict(area >= 0.4 && area <= 0.6)]),
    ),
    '',
    `A flood of ${flood.rate} logins a second (${statuses.join(', ')}) beside ${flood.others} reads a second by others. A hashed login takes ${pair(flood.logins)} ms, a refused one ${pair(flood.refusals)} ms (p50 · p99):`,
    '',
    table(
      ['reads', 'p50 ms', 'p99 ms'],
      [
        ['usual', shown(usual.p50), shown(usual.p99)],
        ['during the flood', shown(flooded.p50), shown(flooded.p99)],
      ],
    ),
    '',
    `The p99 is ${shown(ratio)} times the usual; within twice: ${verdict(ratio <= 2)}.`,
  ].join('\n');
};
