import type { RequestListener, Server, ServerResponse } from 'node:http';
import { HttpError } from '../errors/http-error.ts';
import { type ErrorLog, type ProblemResponse, reportProblem } from '../errors/problem.ts';
import { requestIdOf } from '../requests/headers.ts';
import { makeLimitedServer, type ServerLimits } from '../server/limited-server.ts';
import { makeReadiness, type ReadinessPorts } from './readiness.ts';

/** The ports of the internal server. */
export interface OpsPorts extends ReadinessPorts {
  /** The metrics of one process, or the sums of several. */
  readonly registry: { readonly contentType: string; readonly metrics: () => Promise<string> };
  readonly log: ErrorLog;
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

const write = (response: ServerResponse, status: number, headers: ProblemResponse['headers'], body: string): void => {
  response
    .writeHead(status, { 'Cache-Control': 'no-store', ...headers, 'Content-Length': Buffer.byteLength(body) })
    .end(body);
};

/**
 * Makes the API of the internal port (contract §8): `/livez` succeeds while the process runs, `/readyz` while it can serve,
 * and `/metrics` is for Prometheus.
 */
const makeOpsApi = (ports: OpsPorts): RequestListener => {
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
      const { status, headers, body } = reportProblem(error, { requestId: requestIdOf(undefined), route }, log);
      write(response, status, headers, body);
    }
  };
  return (request, response) => {
    void serve(request.method ?? '', request.url ?? '', response);
  };
};

/**
 * Few connections and short timeouts, so that no client can block the internal port. `MAX_CONNECTIONS` does not include these
 * connections. Collecting the metrics of several workers may take 5 s.
 */
const OPS_LIMITS: ServerLimits = {
  times: { headersMs: 5000, requestMs: 5000, idleMs: 10_000, keepAliveMs: 5000, checkIntervalMs: 1000 },
  maxConnections: 16,
};

/** Makes the server of the internal port. It does not listen yet. */
export const makeOpsServer = (ports: OpsPorts, limits: ServerLimits = OPS_LIMITS): Server =>
  makeLimitedServer(makeOpsApi(ports), limits);
