/** How a request holds the event loop. */
export interface Hold {
  /** Milliseconds of the longest iteration of the event loop: nothing else is served meanwhile. */
  readonly longestMs: number;
  /** Milliseconds of CPU that the thread takes for the request in all. */
  readonly totalMs: number;
}

/** The line in which a service reports the hold of its connection with this number, counted from 0. */
export const holdLine = (connection: number, hold: Hold): string => `hold ${connection} ${JSON.stringify(hold)}`;

/** The hold of a connection in what a service has printed; undefined while it is not there. */
export const findHold = (output: string, connection: number): Hold | undefined => {
  const start = `hold ${connection} `;
  const line = output.split('\n').findLast((printed) => printed.startsWith(start) && printed.endsWith('}'));
  return line === undefined ? undefined : (JSON.parse(line.slice(start.length)) as Hold);
};

/** The least of several measurements of one request: what is more was taken by other programs. */
export const leastHold = (holds: readonly Hold[]): Hold => ({
  longestMs: Math.min(...holds.map(({ longestMs }) => longestMs)),
  totalMs: Math.min(...holds.map(({ totalMs }) => totalMs)),
});
