import { settled } from '../measure/measure.ts';
import { median } from '../report/numbers.ts';
import type { KindRounds, RoundPorts } from '../rounds.ts';
import { requestsOf, secondsOf } from '../rounds.ts';

/** Latencies in milliseconds at the same rate of requests, half of the most that the service took. */
export interface HalfLoad {
  readonly name: string;
  readonly rate: number;
  readonly floor: { readonly p50: number; readonly p99: number };
  readonly service: { readonly p50: number; readonly p99: number };
  readonly errors: number;
}

const middle = (all: readonly { p50: number; p99: number }[]) => ({
  p50: median(all.map(({ p50 }) => p50)),
  p99: median(all.map(({ p99 }) => p99)),
});

/**
 * Puts half of the service's greatest load on floor and service, in turn, so many times. What a machine that others share
 * does to everybody for a moment is the slowest hundredth of a turn in which it falls: of many short ones, most are without it.
 */
export const runHalfLoad = async (
  results: readonly KindRounds[],
  turns: number,
  { generator, databasePid, vacuum, floor, service, world, connections, seconds, say }: RoundPorts,
): Promise<readonly HalfLoad[]> => {
  const found: HalfLoad[] = [];
  for (const { kind, rounds } of results) {
    const rate = median(rounds.map((round) => round.service.requests / round.service.seconds)) / 2;
    const plan = { requests: requestsOf(kind, world), connections, seconds: secondsOf(kind, seconds), rate };
    const latencies = { floor: [] as { p50: number; p99: number }[], service: [] as { p50: number; p99: number }[] };
    let errors = 0;
    await vacuum();
    for (let round = 0; round < turns; round++) {
      for (const server of round % 2 === 0 ? [floor, service] : [service, floor]) {
        await settled([floor.pid, service.pid, databasePid]);
        const result = await generator.run({ ...plan, url: server.url });
        errors += result.errors;
        latencies[server.name].push(result);
      }
      const p99 = (name: 'floor' | 'service') => `${name} ${latencies[name].at(-1)?.p99.toFixed(2)} ms`;
      say(`half load, turn ${round + 1}: ${kind.name}: p99 ${p99('floor')}, ${p99('service')}`);
    }
    found.push({ name: kind.name, rate, floor: middle(latencies.floor), service: middle(latencies.service), errors });
  }
  return found;
};
