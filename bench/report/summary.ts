import { cpuPerRequest, type Measurement, perSecond } from '../measure/measure.ts';
import type { KindRounds } from '../rounds.ts';
import { median, sum } from './numbers.ts';

/** One server at one kind of request, over all rounds. */
export interface Side {
  /** Medians of the rounds; latencies in milliseconds. */
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
  /** Seconds of CPU for 1,000 requests, over all rounds together. */
  readonly serverCpu: number;
  readonly databaseCpu: number;
  /** Mebibytes, the most that was seen after a load. */
  readonly memory: number;
}

/** A kind of request: both servers, and the service in parts of the floor. */
export interface Summary {
  readonly name: string;
  readonly floor: Side;
  readonly service: Side;
  /** Medians of what the rounds give, of which each compares two loads that followed each other. */
  readonly throughput: number;
  readonly cpu: number;
  readonly goal: { readonly throughput: number; readonly cpu: number } | undefined;
}

const sideOf = (all: readonly Measurement[]): Side => {
  const thousands = sum(all.map(({ requests }) => requests)) / 1000;
  return {
    perSecond: median(all.map(perSecond)),
    p50: median(all.map(({ p50 }) => p50)),
    p99: median(all.map(({ p99 }) => p99)),
    errors: sum(all.map(({ errors }) => errors)),
    serverCpu: sum(all.map(({ serverCpu }) => serverCpu)) / thousands,
    databaseCpu: sum(all.map(({ databaseCpu }) => databaseCpu)) / thousands,
    memory: Math.max(...all.map(({ memory }) => memory)),
  };
};

/** What the rounds of a kind come to. */
export const summarize = ({ kind, rounds }: KindRounds): Summary => ({
  name: kind.name,
  floor: sideOf(rounds.map(({ floor }) => floor)),
  service: sideOf(rounds.map(({ service }) => service)),
  throughput: median(rounds.map(({ floor, service }) => perSecond(service) / perSecond(floor))),
  cpu: median(rounds.map(({ floor, service }) => cpuPerRequest(service) / cpuPerRequest(floor))),
  goal: kind.goal,
});
