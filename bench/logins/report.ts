import { list, table, verdict } from '../report/markdown.ts';
import { format, median, percentiles } from '../report/numbers.ts';
import type { Flood } from './flood.ts';
import { areaUnderCurve, FAILURES, type Timing } from './timing.ts';

const formatPair = (times: readonly number[] = []): string => {
  const { p50, p99 } = percentiles(times);
  return `${format(p50)} · ${format(p99)}`;
};

/** Formats the report of a run in Markdown. */
export const loginReport = (conditions: readonly string[], timing: Timing, flood: Flood): string => {
  const { usual, flooded, logins } = flood;
  const ratio = flooded.p99 / usual.p99;
  const medians = FAILURES.map((failure) => `${format(median(timing[failure]))} ms (${failure})`);
  const counts = Object.entries(logins).map(([status, times]) => `${times.length} × ${status}`);
  return [
    list(conditions),
    `Failed logins, ${timing.wrong.length} of each kind, one after the other in random order. Medians: ${medians.join(', ')}.`,
    table(
      ['distinguished by time', 'area under the ROC curve', 'between 0.4 and 0.6'],
      FAILURES.flatMap((one, at) =>
        FAILURES.slice(at + 1).map((other) => {
          const area = areaUnderCurve(timing[one], timing[other]);
          return [`${one} from ${other}`, area.toFixed(3), verdict(area >= 0.4 && area <= 0.6)];
        }),
      ),
    ),
    `A flood of ${flood.loginRate} logins per second (${counts.join(', ')}), and ${flood.readRate} reads per second by another client. Logins with a hash, ${format(flood.hashesPerSecond)} per second, take ${formatPair(logins[401])} ms, refused ones ${formatPair(logins[503])} ms (p50 · p99).`,
    table(
      ['reads', 'p50 ms', 'p99 ms'],
      [
        ['without the flood', format(usual.p50), format(usual.p99)],
        ['during the flood', format(flooded.p50), format(flooded.p99)],
      ],
    ),
    `During the flood, the p99 is ${format(ratio)} times the p99 without it (goal ≤ 2; reached: ${verdict(ratio <= 2)}).`,
  ].join('\n\n');
};
