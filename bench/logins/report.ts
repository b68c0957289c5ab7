import { list, table, verdict } from '../report/markdown.ts';
import { median, percentiles, shown } from '../report/numbers.ts';
import type { Flood } from './flood.ts';
import { areaUnderCurve, FAILURES, type Timing } from './timing.ts';

const shownPair = (times: readonly number[] = []): string => {
  const { p50, p99 } = percentiles(times);
  return `${shown(p50)} · ${shown(p99)}`;
};

/** Formats the report of a run in Markdown. */
export const loginReport = (conditions: readonly string[], timing: Timing, flood: Flood): string => {
  const { usual, flooded, logins } = flood;
  const ratio = flooded.p99 / usual.p99;
  const medians = FAILURES.map((failure) => `${shown(median(timing[failure]))} ms (${failure})`);
  const counts = Object.entries(logins).map(([status, times]) => `${times.length} × ${status}`);
  return [
    list(conditions),
    `Failed logins, ${timing.wrong.length} of each kind, one after the other in random order; the median takes ${medians.join(', ')}:`,
    table(
      ['told apart by time', 'area under the ROC curve', 'between 0.4 and 0.6'],
      FAILURES.flatMap((one, at) =>
        FAILURES.slice(at + 1).map((other) => {
          const area = areaUnderCurve(timing[one], timing[other]);
          return [`${one} from ${other}`, area.toFixed(3), verdict(area >= 0.4 && area <= 0.6)];
        }),
      ),
    ),
    `A flood of ${flood.rate} logins a second (${counts.join(', ')}) beside ${flood.others} reads a second by others. A hashed login takes ${shownPair(logins[401])} ms, a refused one ${shownPair(logins[503])} ms (p50 · p99):`,
    table(
      ['reads', 'p50 ms', 'p99 ms'],
      [
        ['usual', shown(usual.p50), shown(usual.p99)],
        ['during the flood', shown(flooded.p50), shown(flooded.p99)],
      ],
    ),
    `The p99 is ${shown(ratio)} times the usual; within twice: ${verdict(ratio <= 2)}.`,
  ].join('\n\n');
};
