/** What takes part of the time of a request: a use case, a statement of the database, a hash of a password, or a wait for its turn. */
export type SpanKind = 'use case' | 'statement' | 'hash' | 'wait';

/** Shows what a request does and how long each part takes, as a trace. Names contain no data of requests. Contract §9. */
export interface Tracer {
  /** Runs work as a part of the current one. */
  readonly span: <T>(kind: SpanKind, name: string, work: () => Promise<T>) => Promise<T>;
  /** Notes that something happened in the current part. */
  readonly event: (name: string) => void;
}
