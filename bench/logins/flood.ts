import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentiles } from '../report/numbers.ts';

/** The time after which a flood has filled the queue of passwords, in milliseconds. */
const FILL_MS = 1500;

/** Sends a request, and returns the status and the milliseconds to the end of the response. */
const send = async (url: string, init: RequestInit) => {
  const began = performance.now();
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return { status: response.status, milliseconds: performance.now() - began };
};

/** Tries to log in with a wrong password. */
export const guess = (url: string, username: string) =>
  send(`${url}/api/auth/login/`, {
    method: 'POST',
    // Failed logins are limited per network, so each login comes from a different one. The service trusts one proxy.
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.1` },
    body: JSON.stringify({ username, password: `guess ${randomInt(2 ** 32)}` }),
  });

/** Starts `run` at a fixed rate per second, without waiting for earlier runs. Returns when all have ended. */
const atRate = async (rate: number, seconds: number, run: (at: number) => Promise<unknown>): Promise<void> => {
  const running: Promise<unknown>[] = [];
  const began = performance.now();
  for (let at = 0; at < rate * seconds; at++) {
    await sleep(Math.max(0, began + (at * 1000) / rate - performance.now()));
    running.push(run(at));
  }
  await Promise.all(running);
};

/** Reads the paths, with and without a flood of logins. Rates are per second. Returns durations, those of logins by status. */
export const measureFlood = async (
  url: string,
  { token, paths }: { readonly token: string; readonly paths: readonly string[] },
  { loginRate, readRate, seconds, rounds }: Readonly<Record<'loginRate' | 'readRate' | 'seconds' | 'rounds', number>>,
) => {
  const readInto = (times: number[]) =>
    atRate(readRate, seconds, async (at) => {
      const read = await send(url + paths[at % paths.length], { headers: { Authorization: `Bearer ${token}` } });
      if (read.status !== 200) throw new Error(`a read returned status ${read.status}`);
      times.push(read.milliseconds);
    });
  const [usual, flooded]: [number[], number[]] = [[], []];
  const logins: Record<number, number[]> = {};
  await readInto([]);
  for (let round = 0; round < rounds; round++) {
    await readInto(usual);
    const attack = atRate(loginRate, seconds + 2, async (at) => {
      const { status, milliseconds } = await guess(url, at % 2 ? 'user' : `absent-${at}`);
      (logins[status] ??= []).push(milliseconds);
    });
    await sleep(FILL_MS);
    await readInto(flooded);
    await attack;
  }
  return { usual: percentiles(usual), flooded: percentiles(flooded), logins };
};
