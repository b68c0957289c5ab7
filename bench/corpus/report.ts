import { list, table, verdict } from '../report/markdown.ts';
import { format } from '../report/numbers.ts';

/** The measurement of one request of the corpus. */
export interface CorpusRequest {
  readonly title: string;
  readonly bytes: number;
  /** The status of the response, or `disconnected`. */
  readonly status: string;
  /** Milliseconds of the longest iteration of the event loop. Meanwhile, no other request is served. */
  readonly longestMs: number;
  /** Milliseconds of CPU that the thread used for the request. */
  readonly totalMs: number;
}

/** How long a request may block the event loop without interruption, in milliseconds (contract §1). */
const MAX_BLOCK_MS = 50;
const SHOWN_REQUESTS = 10;

/** Formats the report of a run in Markdown: the slowest requests. */
export const corpusReport = (conditions: readonly string[], requests: readonly CorpusRequest[]): string => {
  const slowest = requests.toSorted((one, other) => other.longestMs - one.longestMs).slice(0, SHOWN_REQUESTS);
  const max = slowest[0]?.longestMs ?? Number.NaN;
  return [
    list(conditions),
    `The longest time for which any of ${requests.length} requests blocks the event loop is ${format(max)} ms; at most ${MAX_BLOCK_MS} ms: ${verdict(max <= MAX_BLOCK_MS)}. The slowest:`,
    table(
      ['request', 'bytes', 'status', 'longest block ms', 'total CPU ms'],
      slowest.map(({ title, bytes, status, longestMs, totalMs }) => {
        return [title, String(bytes), status, format(longestMs), format(totalMs)];
      }),
    ),
  ].join('\n\n');
};
