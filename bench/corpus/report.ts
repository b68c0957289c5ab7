import { shown } from '../report/numbers.ts';
import { table } from '../report/table.ts';
import type { Hold } from './hold.ts';

/** What one request of the corpus did. */
export interface MeasuredRequest {
  readonly title: string;
  readonly bytes: number;
  /** Of the response, or that there was none. */
  readonly status: string;
  readonly hold: Hold;
}

/** Milliseconds for which a request may hold the event loop without interruption. Contract, section 1. */
const MAX_HOLD_MS = 50;
const SHOWN_REQUESTS = 10;

/** The report of a run in Markdown. */
export const corpusReport = (
  circumstances: readonly string[],
  repetitions: number,
  requests: readonly MeasuredRequest[],
): string => {
  const slowest = requests.toSorted((one, other) => other.hold.longestMs - one.hold.longestMs);
  const longestMs = slowest[0]?.hold.longestMs ?? Number.NaN;
  return [
    ...circumstances.map((line) => `- ${line}`),
    `- ${requests.length} requests, one at a time, each ${repetitions} times; of these the least counts`,
    '',
    `The longest that any request of the corpus holds the event loop without interruption is ${shown(longestMs)} ms; at most ${MAX_HOLD_MS} ms: ${longestMs <= MAX_HOLD_MS ? 'yes' : '**no**'}. The slowest:`,
    '',
    table(
      ['request', 'bytes', 'status', 'longest hold ms', 'CPU in all ms'],
      slowest
        .slice(0, SHOWN_REQUESTS)
        .map(({ title, bytes, status, hold }) => [
          title,
          String(bytes),
          status,
          shown(hold.longestMs),
          shown(hold.totalMs),
        ]),
    ),
  ].join('\n');
};
