import type { RequestListener, ServerResponse } from 'node:http';
import { HttpError } from '../errors/http-error.ts';
import { PROBLEM_TYPE, problemOf } from '../errors/problem.ts';
import { requestIdOf } from '../requests/headers.ts';
import { makeReadiness, type ReadinessPorts } from './readiness.ts';

/** What the internal port needs. */
export interface OpsPorts extends ReadinessPorts {
  /** One process's counts, or those of several summed up. */
  readonly registry: { readonly contentType: string; readonly metrics: () => Promise<string> };
}

interface OpsAnswer {
  readonly status: 200 | 503;
  readonly type: string;
  readonly body: string;
}

const json = (status: OpsAnswer['status'], body: object): OpsAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

const write = (response: ServerResponse, status: number, headers: Record<string, string>, body: string): void => {
  response
    .writeHead(status, { 'Cache-Control': 'no-store', ...headers, 'Content-Length': Buffer.byteLength(body) })
    .end(body);
};

/**
 * What the internal port answers: `/livez` while the process runs, `/readyz` while it can serve, `/metrics` for
 * Prometheus. Contract, section 8.
 */
export const makeOpsApi = (ports: OpsPorts): RequestListener => {
  const { registry } = ports;
  const readiness = makeReadiness(ports);
  const answers: Readonly<Record<string, () => Promise<OpsAnswer>>> = {
    '/livez': () => Promise.resolve(json(200, { status: 'alive' })),
    '/readyz': async () => {
      const { isReady, body } = await readiness();
      return json(isReady ? 200 : 503, body);
    },
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
  };
  const answer = async (method: string, path: string): Promise<OpsAnswer> => {
    const found = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (!found) throw new HttpError('not_found', 'there is no such path');
    if (method !== 'GET' && method !== 'HEAD') {
      throw new HttpError('method_not_allowed', 'this path has GET, HEAD only', { Allow: 'GET, HEAD' });
    }
    return found();
  };
  const serve = async (method: string, url: string, response: ServerResponse): Promise<void> => {
    try {
      const { status, type, body } = await answer(method, url.split('?', 1)[0] ?? '');
      write(response, status, { 'Content-Type': type }, body);
    } catch (error) {
      const { status, headers, body } = problemOf(error, requestIdOf(undefined));
      write(response, status, { ...headers, 'Content-Type': PROBLEM_TYPE }, body);
    }
  };
  return (request, response) => {
    void serve(request.method ?? '', request.url ?? '', response);
  };
};
