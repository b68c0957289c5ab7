import { randomBytes } from 'node:crypto';
import autocannon from 'autocannon';
import manifest from 'autocannon/package.json' with { type: 'json' };
import type { LoadRequest } from '../kinds.ts';
import type { LoadGenerator, LoadPlan } from './load.ts';

const toRequest = ({ method, path, token, body }: LoadRequest, unique: () => string): autocannon.Request => {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const sent: autocannon.Request = { method, path, headers, ...(body === undefined ? {} : { body }) };
  if (!body?.includes('{n}')) return sent;
  return { ...sent, setupRequest: (request) => ({ ...request, body: body.replaceAll('{n}', unique()) }) };
};

/** The package autocannon, which needs nothing installed, but takes so much of a processor that ratios shrink. */
export const autocannonLoad: LoadGenerator = {
  name: `autocannon ${manifest.version}`,
  run: async ({ url, requests, connections, seconds, rate }: LoadPlan) => {
    const run = randomBytes(6).toString('hex');
    let count = 0;
    let clients = 0;
    const unique = (): string => {
      count += 1;
      return `${run}.${count}`;
    };
    const all = requests.map((request) => toRequest(request, unique));
    const options: autocannon.Options = {
      url,
      connections,
      duration: seconds,
      timeout: 30,
      // It ends only where it takes a sample: a load shorter than its usual second would go on for all of it.
      sampleInt: Math.min(1000, seconds * 1000),
      ...(rate === null ? {} : { overallRate: Math.max(1, Math.round(rate)) }),
      // Each connection has its share of the requests.
      setupClient: (client) => {
        const share = all.filter((_, at) => at % connections === clients % connections);
        clients += 1;
        client.setRequests(share.length > 0 ? share : all);
      },
    };
    const latencies: [number, number][] = [];
    const result = await new Promise<autocannon.Result>((resolve, reject) => {
      const load = autocannon(options, (error, found) => (error ? reject(error) : resolve(found)));
      load.on('response', (_client, status, _bytes, milliseconds) => {
        if (status < 400) latencies.push([milliseconds, 1]);
      });
    });
    return {
      requests: result.requests.total,
      seconds: result.duration,
      p50: result.latency.p50,
      p99: result.latency.p99,
      latencies,
      errors: result.errors + result.non2xx,
    };
  },
};
