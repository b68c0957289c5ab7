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

/** How many times as long as others these loads take: of fewer requests, the slowest hundredth is to be told. */
const LONGER = 2;

const middle = (all: readonly { p50: number; p99: number }[]) => ({
  p50: median(all.map(({ p50 }) => p50)),
  p99: median(all.map(({ p99 }) => p99)),
});

/** Puts half of the service's greatest load on floor and service, in turn, so many times. */
export const runHalfLoad = async (
  results: readonly KindRounds[],
  turns: number,
  { generator, databasePid, vacuum, floor, service, world, connections, seconds, say }: RoundPorts,
): Promise<readonly HalfLoad[]> => {
  const found: HalfLoad[] = [];
  for (const { kind, rounds } of results) {
    const rate = median(rounds.map((round) => round.service.requests / round.service.seconds)) / 2;
    const plan = { requests: requestsOf(kind, world), connections, seconds: secondsOf(kind, seconds) * LONGER, rate };
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
    }
    found.push({ name: kind.name, rate, floor: middle(latencies.floor), service: middle(latencies.service), errors });
    say(`half load: ${kind.name}: done`);
  }
  return found;
};
