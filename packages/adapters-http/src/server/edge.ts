import { loggedError } from '../errors/error-log.ts';
import { badRequest } from '../errors/http-error.ts';
import { PROBLEM_TYPE, type Problem, problemOf } from '../errors/problem.ts';
import { requestIdOf } from '../requests/headers.ts';
import type { HttpContext, Next } from './http-context.ts';
import type { HttpMetrics } from './metrics.ts';
import { type HttpLog, type LogRequest, logRequestFields } from './request-log.ts';

/** Where every answered request is logged and counted. */
export interface RequestRecord {
  readonly log: HttpLog;
  /** By default, as fields for machines. */
  readonly logRequest?: LogRequest | undefined;
  readonly metrics?: HttpMetrics | undefined;
}

/** What the edge needs. */
export interface EdgePorts extends RequestRecord {
  readonly hsts: boolean;
}

const YEAR_SECONDS = 31_536_000;

/**
 * Refuses what Node's parser lets through and a proxy may read in another way: two headers of one name, another host, an
 * absolute target. Contract, section 11.
 */
const refuseAmbiguity = ({ req }: HttpContext): void => {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const name = req.rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1;
  }
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1')) throw badRequest('there must be one Host header');
  if (authorizations > 1) throw badRequest('there must not be two Authorization headers');
  const { url = '' } = req;
  const isPath = url.startsWith('/') && !url.includes('#');
  if (!isPath && !(req.method === 'OPTIONS' && url === '*')) throw badRequest('the request target must be a path');
};

/** Writes the problem that an error means to the caller, and returns it. */
const refuse = (ctx: HttpContext, log: HttpLog, error: unknown): Problem => {
  const { requestId, route } = ctx.state;
  const problem = problemOf(error, requestId);
  if (problem.code === 'internal_error') log.error({ requestId, route, error: loggedError(error) }, 'request failed');
  else if (problem.status === 503)
    log.warn({ requestId, route, error: loggedError(error) }, 'request could not be served');
  ctx.set(problem.headers as Record<string, string>);
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Content-Type', PROBLEM_TYPE);
  ctx.status = problem.status;
  ctx.body = problem.body;
  return problem;
};

/** Makes the outermost layer: request id, headers of every answer, refusals, one line of log, one count. */
export const makeEdge = ({ log, logRequest = logRequestFields(log), metrics, hsts }: EdgePorts) => {
  return async (ctx: HttpContext, next: Next): Promise<void> => {
    const began = performance.now();
    const { state, req } = ctx;
    const requestId = requestIdOf(req.headers['x-request-id']);
    state.requestId = requestId;
    state.caller = null;
    state.route = null;
    ctx.set('X-Request-Id', requestId);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    if (hsts) ctx.set('Strict-Transport-Security', `max-age=${YEAR_SECONDS}; includeSubDomains`);
    let problem: Problem | undefined;
    try {
      refuseAmbiguity(ctx);
      await next();
    } catch (error) {
      problem = refuse(ctx, log, error);
    }
    const elapsedMs = performance.now() - began;
    const { caller, route } = state;
    const { method, path, status } = ctx;
    metrics?.observe({ method, route, status, seconds: elapsedMs / 1000 });
    const milliseconds = Math.round(elapsedMs * 10) / 10;
    logRequest({ requestId, caller, method, route, path, status, problem, milliseconds });
  };
};
