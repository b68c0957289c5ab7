import { setTimeout as sleep } from 'node:timers/promises';
import { guess } from './guess.ts';
import { quantile } from './told-apart.ts';

/** How long responses take, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Who reads, and what. */
export interface Caller {
  readonly token: string;
  readonly paths: readonly string[];
}

/** How much load to make: logins and reads a second, and the length of each of the rounds in seconds. */
export interface FloodLoad {
  readonly rate: number;
  readonly others: number;
  readonly seconds: number;
  readonly rounds: number;
}

/** What a flood of logins does to the other endpoints. */
export interface Flood {
  /** Logins that were tried a second. */
  readonly rate: number;
  /** Requests of the others, a second. */
  readonly others: number;
  readonly usual: Latency;
  readonly flooded: Latency;
  /** Of the logins of the flood whose password was hashed. */
  readonly logins: Latency;
  /** Of those that were refused with 503. */
  readonly refusals: Latency;
  /** How often each status came to those who flood. */
  readonly answers: Readonly<Record<number, number>>;
}

/** Sums up times in milliseconds. */
export const latency = (times: readonly number[]): Latency => ({
  p50: quantile(times, 0.5),
  p99: quantile(times, 0.99),
});

/** Starts something so many times a second, however long each takes, and waits for all. */
const atRate = async (rate: number, seconds: number, run: (at: number) => Promise<unknown>): Promise<void> => {
  const running: Promise<unknown>[] = [];
  const began = performance.now();
  for (let at = 0; at < rate * seconds; at++) {
    const due = began + (at * 1000) / rate - performance.now();
    if (due > 0) await sleep(due);
    running.push(run(at));
  }
  await Promise.all(running);
};

/** Lets others ask for these paths, with and without a flood beside them, in turn. */
export const measureFlood = async (
  url: string,
  { token, paths }: Caller,
  { rate, others, seconds, rounds }: FloodLoad,
): Promise<Flood> => {
  const headers = { Authorization: `Bearer ${token}` };
  const ask = async (at: number, times: number[]): Promise<void> => {
    const began = performance.now();
    const response = await fetch(url + paths[at % paths.length], { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`others were answered ${response.status}`);
    times.push(performance.now() - began);
  };
  const usual: number[] = [];
  const flooded: number[] = [];
  const logins: number[] = [];
  const refusals: number[] = [];
  const answers: Record<number, number> = {};
  const attack = async (at: number): Promise<void> => {
    const { status, milliseconds } = await guess(url, {
      username: at % 2 ? 'user' : `nobody-${at}`,
      password: `guess ${at}`,
    });
    answers[status] = (answers[status] ?? 0) + 1;
    if (status === 401) logins.push(milliseconds);
    if (status === 503) refusals.push(milliseconds);
  };
  await atRate(others, 2, (at) => ask(at, []));
  for (let round = 0; round < rounds; round++) {
    await atRate(others, seconds, (at) => ask(at, usual));
    const attacking = atRate(rate, seconds + 2, attack);
    // By then the queue is full.
    await sleep(1500);
    await atRate(others, seconds, (at) => ask(at, flooded));
    await attacking;
  }
  return {
    rate,
    others,
    usual: latency(usual),
    flooded: latency(flooded),
    logins: latency(logins),
    refusals: latency(refusals),
    answers,
  };
};
