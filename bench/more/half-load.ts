import type { Latencies } from '../load/load.ts';
import { perSecond, settled } from '../measure/measure.ts';
import { median, quantileOf } from '../report/numbers.ts';
import type { KindRounds, RoundPorts } from '../rounds.ts';
import { loadOf, requestsOf } from '../rounds.ts';

/** Latencies in milliseconds at the same rate of requests, half of the most that the service took. */
export interface HalfLoad {
  readonly name: string;
  readonly rate: number;
  readonly floor: { readonly p50: number; readonly p99: number };
  readonly service: { readonly p50: number; readonly p99: number };
  readonly errors: number;
}

const together = (turns: readonly Latencies[]) => ({
  p50: quantileOf(turns.flat(), 0.5),
  p99: quantileOf(turns.flat(), 0.99),
});

/**
 * Puts half of the service's greatest load on floor and service, in turn, so many times. The latencies of all turns count
 * together, so that nothing that was slow is left out; turns are short, so that a machine's bad moments find both servers.
 */
export const runHalfLoad = async (
  results: readonly KindRounds[],
  turns: number,
  { generator, databasePid, vacuum, floor, service, world, connections, seconds, say }: RoundPorts,
): Promise<readonly HalfLoad[]> => {
  const found: HalfLoad[] = [];
  for (const { kind, rounds } of results) {
    const rate = median(rounds.map((round) => perSecond(round.service))) / 2;
    const plan = { requests: requestsOf(kind, world), ...loadOf(kind, { seconds, connections }), rate };
    const latencies = { floor: [] as Latencies[], service: [] as Latencies[] };
    let errors = 0;
    await vacuum();
    for (let round = 0; round < turns; round++) {
      for (const server of round % 2 === 0 ? [floor, service] : [service, floor]) {
        await settled([floor.pid, service.pid, databasePid]);
        const result = await generator.run({ ...plan, url: server.url });
        errors += result.errors;
        latencies[server.name].push(result.latencies);
      }
      const p99 = (name: 'floor' | 'service') => `${name} ${together(latencies[name].slice(-1)).p99.toFixed(2)} ms`;
      say(`half load, turn ${round + 1}: ${kind.name}: p99 ${p99('floor')}, ${p99('service')}`);
    }
    found.push({
      name: kind.name,
      rate,
      floor: together(latencies.floor),
      service: together(latencies.service),
      errors,
    });
  }
  return found;
};
