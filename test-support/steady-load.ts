import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_PASSWORD as PASSWORD } from '../packages/app/src/database/demo-data.ts';
import { accessToken, clientOf } from './client.ts';

const CLIENTS = 4;
/** How many requests each client sends at least in a step: two of each kind. */
const REQUESTS_PER_STEP = 8;
/** The pause of a client after a request, so that the load does not delay the instances that start. */
const PAUSE_MS = 20;

/**
 * Starts clients that create, change and find users, and log in, without a retry, until they are stopped. Each sends one request at a
 * time, to the addresses in turn. The addresses must have the demo data.
 */
export const startLoad = async (...addresses: readonly string[]) => {
  let rotation = addresses;
  const stopped = new AbortController();
  let longestMs = 0;
  const token = await accessToken(rotation[0] ?? '', 'leader', PASSWORD);
  const sent = Array.from({ length: CLIENTS }, () => 0);
  const failures: string[] = [];
  /** The last name of each user, as the service has acknowledged it. */
  const acknowledged = new Map<string, string>();

  const send = async (at: number, method: string, path: string, body?: unknown) => {
    const url = rotation[(sent[at] ?? 0) % rotation.length] ?? '';
    const began = performance.now();
    const response = await clientOf(url, token)(method, path, body).catch((error: unknown) => ({
      status: 599,
      body: { detail: String(error) },
    }));
    longestMs = Math.max(longestMs, performance.now() - began);
    sent[at] = (sent[at] ?? 0) + 1;
    if (response.status >= 300) failures.push(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    await sleep(PAUSE_MS);
    return response;
  };
  const work = async (at: number): Promise<void> => {
    for (let turn = 0; !stopped.signal.aborted && failures.length === 0; turn += 1) {
      const [username, last_name] = [`load-${at}-${turn}`, `Changed ${turn}`];
      const { body } = await send(at, 'POST', '/api/users/', { username, password: PASSWORD });
      await send(at, 'PATCH', `/api/users/${body.id}`, { last_name });
      acknowledged.set(username, last_name);
      const found = await send(at, 'GET', `/api/users/?search=${username}&ordering=-date_joined&page_size=1`);
      if (found.body.results?.[0]?.last_name !== last_name) failures.push(`${username} is not found`);
      await send(at, 'POST', '/api/auth/login/', { username: 'user', password: PASSWORD });
    }
  };
  const working = Promise.all(sent.map((_, at) => work(at)));
  /** Waits until each client has sent some more requests. */
  const step = async (): Promise<void> => {
    const goal = sent.map((one) => one + REQUESTS_PER_STEP);
    while (failures.length === 0 && sent.some((one, at) => one < (goal[at] ?? 0))) await sleep(PAUSE_MS);
  };
  await step();
  return {
    acknowledged,
    failures,
    step,
    /** Replaces the addresses, and waits until no request to another one runs, as a balancer does. */
    rotate: (...next: readonly string[]): Promise<void> => {
      rotation = next;
      return step();
    },
    stop: async () => {
      stopped.abort();
      await working;
      return { requests: sent.reduce((sum, one) => sum + one, 0), longestSeconds: (longestMs / 1000).toFixed(1) };
    },
  };
};
