import { randomBytes } from 'node:crypto';
import autocannon from 'autocannon';
import type { LoadRequest } from './kinds.ts';

/** A load to put on a server. */
export interface Load {
  /** The requests, sent in turn and repeated. */
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second; by default, as many as the server can serve. */
  readonly rate?: number;
}

/** Puts load on a server. Returns latencies in milliseconds; errors are broken connections and statuses from 300 on. */
export const putLoad = async (url: string, { connections, seconds, rate, ...load }: Load) => {
  const run = randomBytes(6).toString('hex');
  let [count, clients] = [0, 0];
  const requests = load.requests.map(({ method, path, token, body }): autocannon.Request => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    if (body === undefined) return { method, path, headers };
    const setupRequest = (request: autocannon.Request) => {
      return { ...request, body: body.replaceAll('{n}', () => `${run}.${count++}`) };
    };
    return { method, path, headers, body, setupRequest };
  });
  const options: autocannon.Options = {
    url,
    connections,
    duration: seconds,
    timeout: 30,
    // autocannon ends only when it takes a sample, so the interval must be shorter than the load.
    sampleInt: Math.min(1000, seconds * 1000),
    ...(rate !== undefined && { overallRate: Math.max(1, Math.round(rate)) }),
    // Distributes the requests over the connections.
    setupClient: (client) => {
      client.setRequests(requests.filter((_, at) => at % connections === clients % connections));
      clients += 1;
    },
  };
  const latencies: number[] = [];
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const started = autocannon(options, (error, found) => (error ? reject(error) : resolve(found)));
    started.on('response', (_client, _status, _bytes, milliseconds) => void latencies.push(milliseconds));
  });
  const errors = result.errors + result.non2xx;
  return { requests: result.requests.total, seconds: result.duration, latencies, errors };
};
