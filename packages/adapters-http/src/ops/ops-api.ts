import type { RequestListener, ServerResponse } from 'node:http';
import { loggedError } from '../errors/error-log.ts';
import { HttpError } from '../errors/http-error.ts';
import { PROBLEM_TYPE, problemOf } from '../errors/problem.ts';
import { requestIdOf } from '../requests/headers.ts';
import type { HttpLog } from '../server/request-telemetry.ts';
import { makeReadiness, type ReadinessPorts } from './readiness.ts';

/** The ports of the internal server. */
export interface OpsPorts extends ReadinessPorts {
  /** The metrics of one process, or the sums of several. */
  readonly registry: { readonly contentType: string; readonly metrics: () => Promise<string> };
  readonly log: Pick<HttpLog, 'error'>;
}

interface OpsResponse {
  readonly status: 200 | 503;
  readonly type: string;
  readonly body: string;
}

const json = (status: OpsResponse['status'], body: object): OpsResponse => ({
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
 * Makes the API of the internal port (contract §8): `/livez` succeeds while the process runs, `/readyz` while it can serve,
 * and `/metrics` is for Prometheus.
 */
export const makeOpsApi = (ports: OpsPorts): RequestListener => {
  const { log, registry } = ports;
  const readiness = makeReadiness(ports);
  const handlers: Readonly<Record<string, () => Promise<OpsResponse>>> = {
    '/livez': () => Promise.resolve(json(200, { status: 'alive' })),
    '/readyz': async () => {
      const { isReady, body } = await readiness();
      return json(isReady ? 200 : 503, body);
    },
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
  };
  const respond = async (method: string, path: string): Promise<OpsResponse> => {
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (!handler) throw new HttpError('not_found', 'this path does not exist');
    if (method !== 'GET' && method !== 'HEAD') {
      throw new HttpError('method_not_allowed', 'method not allowed; use GET or HEAD', { Allow: 'GET, HEAD' });
    }
    return handler();
  };
  const serve = async (method: string, url: string, response: ServerResponse): Promise<void> => {
    const route = url.split('?', 1)[0] ?? '';
    try {
      const { status, type, body } = await respond(method, route);
      write(response, status, { 'Content-Type': type }, body);
    } catch (error) {
      const requestId = requestIdOf(undefined);
      const { code, status, headers, body } = problemOf(error, requestId);
      if (code === 'internal_error') log.error({ requestId, route, error: loggedError(error) }, 'request failed');
      write(response, status, { ...headers, 'Content-Type': PROBLEM_TYPE }, body);
    }
  };
  return (request, response) => {
    void serve(request.method ?? '', request.url ?? '', response);
  };
};
