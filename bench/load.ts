import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import type { LoadRequest } from './kinds.ts';

export interface Load {
  /** The requests, sent in turn and repeated. */
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
}

const headersOf = ({ token, body }: LoadRequest): Record<string, string> => ({
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
});

/**
 * Puts load on a server. Returns latencies in milliseconds; errors are broken connections and
 * statuses from 300 on.
 */
export const putLoad = async (url: string, { connections, seconds, ...load }: Load) => {
  const run = randomBytes(6).toString('hex');
  let [count, clients] = [0, 0];
  const requests = load.requests.map((one): autocannon.Request => {
    const { method, path, body } = one;
    const request = { method, path, headers: headersOf(one) };
    if (body === undefined) return request;
    const newBody = () => body.replaceAll('{n}', () => `${run}.${count++}`);
    return { ...request, body, setupRequest: (made) => ({ ...made, body: newBody() }) };
  });
  const options: autocannon.Options = {
    url,
    connections,
    duration: seconds,
    timeout: 30,
    // autocannon ends only when it takes a sample, so the interval must be shorter than the load.
    sampleInt: Math.min(1000, seconds * 1000),
    // Distributes the requests over the connections.
    setupClient: (client) => {
      client.setRequests(requests.filter((_, at) => at % connections === clients % connections));
      clients += 1;
    },
  };
  const latencies: number[] = [];
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const started = autocannon(options, (error, found) => (error ? reject(error) : resolve(found)));
    started.on('response', (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds));
  });
  const errors = result.errors + result.non2xx;
  return { requests: result.requests.total, seconds: result.duration, latencies, errors };
};

/** Sends a request, and returns the status and the milliseconds to the end of the response. */
export const send = async (url: string, request: LoadRequest, headers: Readonly<Record<string, string>> = {}) => {
  const { method, path, body } = request;
  const began = performance.now();
  const init = { method, headers: { ...headersOf(request), ...headers }, ...(body !== undefined && { body }) };
  const response = await fetch(url + path, init);
  await response.arrayBuffer();
  return { status: response.status, milliseconds: performance.now() - began };
};

/** Starts `run` at a fixed rate per second, without waiting for earlier runs. Returns when all have ended. */
export const atRate = async (rate: number, seconds: number, run: (at: number) => Promise<unknown>): Promise<void> => {
  const running: Promise<unknown>[] = [];
  const began = performance.now();
  for (let at = 0; at < rate * seconds; at++) {
    await sleep(Math.max(0, began + (at * 1000) / rate - performance.now()));
    running.push(run(at));
  }
  await Promise.all(running);
};

/** Sends requests in turn at a fixed rate per second, and returns the milliseconds of each. @throws Error if one fails. */
export const timesAtRate = async (url: string, requests: readonly LoadRequest[], rate: number, seconds: number) => {
  const times: number[] = [];
  await atRate(rate, seconds, async (at) => {
    const { status, milliseconds } = await send(url, requests[at % requests.length] as LoadRequest);
    if (status !== 200) throw new Error(`a request returned status ${status}`);
    times.push(milliseconds);
  });
  return times;
};
