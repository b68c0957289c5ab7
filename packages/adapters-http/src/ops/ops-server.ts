import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Access } from '@chapter/domain';
import { type ErrorLog, HttpError, type ProblemResponse, reportProblem } from '../errors/problem.ts';
import { header, requestIdOf } from '../requests/headers.ts';
import { JSON_TYPE } from '../requests/read-json.ts';
import { makeLimitedServer, type ServerLimits } from '../server/http-server.ts';
import { makeAccessApi, requireMethod } from './access-api.ts';
import { makeReadiness, type ReadinessPorts } from './readiness.ts';

/** The ports of the internal server. */
export interface OpsPorts extends ReadinessPorts {
  /** The metrics of one process, or the sums of several. */
  readonly registry: { readonly contentType: string; readonly metrics: () => Promise<string> };
  readonly access: Access;
  readonly log: ErrorLog;
}

interface OpsResponse {
  readonly status: number;
  readonly headers: ProblemResponse['headers'];
  readonly body: string;
}

const ofType = (type: string, body: string, status: 200 | 503 = 200): OpsResponse => ({
  status,
  headers: { 'Content-Type': type },
  body,
});

/** AuthZEN 1.0, section 10.1.2: the body of an error is a message, and the status of an unsupported media type 400. */
const accessError = ({ code, detail, headers, status }: ProblemResponse): OpsResponse => ({
  status: code === 'unsupported_media_type' ? 400 : status,
  headers: { ...headers, 'Content-Type': JSON_TYPE },
  body: JSON.stringify(detail),
});

/**
 * Makes the API of the internal port (contract §8): `/livez` succeeds while the process runs, `/readyz` while it can
 * serve, `/metrics` is for Prometheus, and AuthZEN for rights. `isCrowded` says that few connections are left.
 */
const makeOpsApi = (ports: OpsPorts, isCrowded: () => boolean): RequestListener => {
  const { log, registry } = ports;
  const readiness = makeReadiness(ports);
  const handlers: Readonly<Record<string, () => Promise<OpsResponse>>> = {
    '/livez': () => Promise.resolve(ofType(JSON_TYPE, JSON.stringify({ status: 'alive' }))),
    '/readyz': async () => {
      const { isReady, body } = await readiness();
      return ofType(JSON_TYPE, JSON.stringify(body), isReady ? 200 : 503);
    },
    '/metrics': async () => ofType(registry.contentType, await registry.metrics()),
  };
  const accessApi = makeAccessApi(ports.access);
  const handle = async (request: IncomingMessage, path: string): Promise<OpsResponse> => {
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (!handler) throw new HttpError('not_found', 'this path does not exist');
    requireMethod(request, ['GET', 'HEAD']);
    return handler();
  };
  return (request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const answer = Object.hasOwn(accessApi, path) ? accessApi[path] : undefined;
    const sentId = answer && header(request, 'x-request-id');
    const requestId = requestIdOf(sentId);
    const ofAccess = { 'X-Request-ID': sentId ?? requestId, ...(isCrowded() && { Connection: 'close' }) };
    const write = ({ body, headers, status }: OpsResponse): void => {
      // As bytes: before a text, Node would write the request id as UTF-8 instead of the received bytes.
      const bytes = Buffer.from(body);
      const common = { 'Cache-Control': 'no-store', ...headers, 'Content-Length': bytes.length };
      response.writeHead(status, answer ? { ...common, ...ofAccess } : common).end(bytes);
    };
    const responding = answer
      ? answer(request).then((body) => ofType(JSON_TYPE, JSON.stringify(body)))
      : handle(request, path);
    responding.then(write).catch((error: unknown) => {
      const problem = reportProblem(error, { requestId, route: path }, log);
      write(answer ? accessError(problem) : problem);
    });
  };
};

/**
 * Few connections and short timeouts, so that no client can block the internal port. `MAX_CONNECTIONS` does not include
 * these connections. Collecting the metrics of several workers may take 5 s.
 */
const OPS_LIMITS: ServerLimits = {
  times: { headersMs: 5000, requestMs: 5000, idleMs: 10_000, keepAliveMs: 5000, checkIntervalMs: 1000 },
  maxConnections: 16,
};

/** Makes the server of the internal port. It does not listen yet. */
export const makeOpsServer = (ports: OpsPorts, limits: ServerLimits = OPS_LIMITS): Server => {
  let connections = 0;
  // Services that ask about rights keep their connections. Half of all must remain for health checks.
  const isCrowded = (): boolean => connections > limits.maxConnections / 2;
  return makeLimitedServer(makeOpsApi(ports, isCrowded), limits).on('connection', (socket) => {
    connections += 1;
    socket.once('close', () => {
      connections -= 1;
    });
  });
};
