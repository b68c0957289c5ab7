import { list, table, verdict } from '../report/markdown.ts';
import { shown } from '../report/numbers.ts';

/** The measurement of one request of the corpus. */
export interface MeasuredRequest {
  readonly title: string;
  readonly bytes: number;
  /** The status of the response, or `disconnected`. */
  readonly status: string;
  /** Milliseconds of the longest iteration of the event loop, during which no other request is served. */
  readonly longestMs: number;
  /** Milliseconds of CPU that the thread used for the request. */
  readonly totalMs: number;
}

/** How long a request may hold the event loop without interruption, in milliseconds (contract §1). */
const MAX_HOLD_MS = 50;
const SHOWN_REQUESTS = 10;

/** Formats the report of a run in Markdown: the slowest requests. */
export const corpusReport = (conditions: readonly string[], requests: readonly MeasuredRequest[]): string => {
  const slowest = requests.toSorted((one, other) => other.longestMs - one.longestMs).slice(0, SHOWN_REQUESTS);
  const max = slowest[0]?.longestMs ?? Number.NaN;
  return [
    list(conditions),
    `The longest that any of ${requests.length} requests holds the event loop without interruption is ${shown(max)} ms; at most ${MAX_HOLD_MS} ms: ${verdict(max <= MAX_HOLD_MS)}. The slowest:`,
    table(
      ['request', 'bytes', 'status', 'longest hold ms', 'CPU in all ms'],
      slowest.map(({ title, bytes, status, longestMs, totalMs }) => {
        return [title, String(bytes), status, shown(longestMs), shown(totalMs)];
      }),
    ),
  ].join('\n\n');
};
