import type { IncomingMessage } from 'node:http';
import { parseUuid } from '@chapter/domain';
import type { Logger } from 'pino';
import { Counter, Histogram, type Registry } from 'prom-client';
import { DOCS, PASSWORD_PAGE } from '../docs/pages.ts';
import type { ProblemResponse } from '../errors/problem.ts';
import type { RequestState } from './http-context.ts';

/**
 * Replaces the placeholders of a path pattern with the UUIDs at their places in the sent path. Other text is not
 * copied, because it may be a secret that the client sent by mistake, and DEV logs the result.
 */
export const fillPattern = (pattern: string, sentPath: string | null): string => {
  const sent = sentPath?.split('/') ?? [];
  return pattern
    .split('/')
    .map((part, at) => (part.startsWith('{') ? (parseUuid(sent[at] ?? '') ?? part) : part))
    .join('/');
};

/** The methods of pino that log requests. */
export type HttpLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** A request that received a response. For input that is not a request, unknown values are null. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly caller: { readonly id: string; readonly username: string | null } | null;
  readonly method: string | null;
  readonly route: string | null;
  /** The path as it was sent, without the query string. */
  readonly path: string | null;
  readonly status: number;
  /** The problem in the response, if any. */
  readonly problem?: Pick<ProblemResponse, 'code' | 'detail' | 'errors'> | undefined;
  readonly milliseconds: number | null;
}

/** Logs one request and its response. */
export type LogRequest = (request: LoggedRequest) => void;

/** Logs requests as structured data: the same fields in each line, without usernames, paths or request content. */
export const logRequestFields =
  (log: HttpLog): LogRequest =>
  ({ requestId, caller, method, route, status, problem, milliseconds }) =>
    log.info(
      { requestId, callerId: caller && caller.id, method, route, status, code: problem?.code, milliseconds },
      'request',
    );

/** The maximum number of faults in a log line. The line shows only the number of further ones. */
const MAX_SHOWN_FAULTS = 3;

/** Escapes control and invisible characters, which names from the request may contain. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return `\\u{${codePoint.toString(16)}}`;
  });

const problemText = ({ code, detail, errors }: NonNullable<LoggedRequest['problem']>): string => {
  if (errors.length === 0) return `${code}: ${detail}`;
  const shown = errors.slice(0, MAX_SHOWN_FAULTS).map((fault) => `${fault.field || 'body'}: ${fault.detail}`);
  const more = errors.length - shown.length;
  return `${code}: ${shown.join('; ')}${more > 0 ? `; ${more} more` : ''}`;
};

/**
 * Logs requests as text, one line each: `GET /api/users/ 200 9.5 ms leader`, with code and detail of a problem.
 * Requests for parts of a page are logged at debug level.
 */
export const logRequestText =
  (log: Pick<Logger, 'debug' | 'info'>): LogRequest =>
  (request) => {
    const { caller, method, milliseconds, path, problem, route, status } = request;
    const isAsset = [DOCS, PASSWORD_PAGE].some((page) => route !== page && route?.startsWith(page));
    const parts = [
      ...(method === null
        ? ['(unreadable request)']
        : [method, route === null ? '(no route)' : fillPattern(route, path)]),
      String(status),
      ...(milliseconds === null ? [] : [`${milliseconds} ms`]),
      ...(caller === null ? [] : [caller.username ?? caller.id]),
      ...(problem === undefined ? [] : [problemText(problem)]),
    ];
    log[isAsset ? 'debug' : 'info'](printable(parts.join(' ')));
  };

/** The values of a request that the metrics count. */
export interface MeasuredRequest {
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
}

/** Counts requests and connections. */
export type HttpMetrics = ReturnType<typeof makeHttpMetrics>;

/**
 * Runs `serve`, which returns the status of the response, as a span below that of the client, if it sent `traceparent`.
 * Sets the id of the trace before. W3C Trace Context.
 */
export type TraceRequest = (
  request: IncomingMessage,
  state: RequestState,
  serve: () => Promise<number>,
) => Promise<void>;

/** The log, the metrics and the traces of requests. */
export interface RequestTelemetry {
  readonly log: HttpLog;
  /** {@link logRequestFields} by default. */
  readonly logRequest?: LogRequest | undefined;
  readonly metrics?: HttpMetrics | undefined;
  readonly traceRequest?: TraceRequest | undefined;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const LOGIN = '/api/auth/login/';

const LOGIN_OUTCOMES: Readonly<Record<number, string>> = {
  200: 'succeeded',
  401: 'refused',
  429: 'limited',
  503: 'unavailable',
};

/**
 * Counts requests by method, route and status with their duration, and logins by outcome, in a registry. `exemplarOf`
 * returns the labels of an exemplar of the current request, such as the id of its trace, or none.
 */
export const makeHttpMetrics = (registry: Registry, exemplarOf?: () => Readonly<Record<string, string>>) => {
  const durations = new Histogram({
    name: 'chapter_http_request_duration_seconds',
    help: 'Seconds until the response to a request was ready, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    enableExemplars: exemplarOf !== undefined,
    registers: [registry],
  });
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const logins = counter('chapter_logins_total', 'Logins by outcome.', 'outcome');
  const unreadable = counter(
    'chapter_http_unreadable_requests_total',
    'Input that could not be parsed as a request, by response status.',
    'status',
  );
  const dropped = counter(
    'chapter_http_connections_dropped_total',
    'Connections closed because MAX_CONNECTIONS was reached.',
  );
  // Cached, because looking up the labels costs more than counting.
  const series = new Map<string, { readonly observe: (seconds: number) => void }>();

  return {
    observe: ({ method, route, status, seconds }: MeasuredRequest): void => {
      const key = `${method} ${route} ${status}`;
      let durationsOfKey = series.get(key);
      if (!durationsOfKey) {
        const labels = { method, route: route ?? 'none', status: String(status) };
        durationsOfKey = exemplarOf
          ? { observe: (value) => durations.observe({ labels, value, exemplarLabels: exemplarOf() }) }
          : durations.labels(labels);
        series.set(key, durationsOfKey);
      }
      durationsOfKey.observe(seconds);
      if (route === LOGIN && method === 'POST') logins.inc({ outcome: LOGIN_OUTCOMES[status] ?? 'malformed' });
    },
    /** Counts a response to input that could not be parsed as a request. It has no duration. */
    unreadable: (status: number): void => unreadable.inc({ status: String(status) }),
    /** Counts a connection that was closed because too many were open. */
    dropped: (): void => dropped.inc(),
  };
};
