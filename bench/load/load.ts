import type { LoadRequest } from '../kinds.ts';

/** A load to put on a server. */
export interface LoadPlan {
  /** Where the server is (`http://127.0.0.1:3000`). */
  readonly url: string;
  /** Sent in turn, again and again. */
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, or null for as many as the server takes. */
  readonly rate: number | null;
}

/** Latencies in milliseconds, each with how often it came. */
export type Latencies = readonly (readonly [milliseconds: number, times: number])[];

/** What came of it. Latencies are in milliseconds; an error is a broken connection or a status from 400 on. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly latencies: Latencies;
  readonly errors: number;
}

/** Something that puts load on a server. */
export interface LoadGenerator {
  /** Its name and version, for the report. */
  readonly name: string;
  readonly run: (plan: LoadPlan) => Promise<LoadResult>;
}
