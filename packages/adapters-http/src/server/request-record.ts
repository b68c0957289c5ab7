import { Counter, Histogram, type Registry } from 'prom-client';
import type { HttpLog, LogRequest } from './request-log.ts';

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The path pattern of the route, or null if no route matches. */
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
}

/** Counts requests and connections. */
export interface HttpMetrics {
  observe(request: AnsweredRequest): void;
  /** Counts a response to input that could not be parsed as a request. It has no duration. */
  unreadable(status: number): void;
  /** Counts a connection that was closed because too many were open. */
  dropped(): void;
}

/** Where every answered request is logged and counted. */
export interface RequestRecord {
  readonly log: HttpLog;
  /** By default, as fields for machines. */
  readonly logRequest?: LogRequest | undefined;
  readonly metrics?: HttpMetrics | undefined;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const LOGIN = '/api/auth/login/';

const LOGIN_OUTCOMES: Readonly<Record<number, string>> = {
  200: 'succeeded',
  401: 'refused',
  429: 'limited',
  503: 'unavailable',
};

/** Counts requests by method, route and status with their duration, and logins by outcome, in a registry. */
export const makeHttpMetrics = (registry: Registry): HttpMetrics => {
  const durations = new Histogram({
    name: 'chapter_http_request_duration_seconds',
    help: 'Seconds until the response to a request was ready, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const logins = new Counter({
    name: 'chapter_logins_total',
    help: 'Logins by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const unreadable = new Counter({
    name: 'chapter_http_unreadable_requests_total',
    help: 'Input that could not be parsed as a request, by response status.',
    labelNames: ['status'],
    registers: [registry],
  });
  const dropped = new Counter({
    name: 'chapter_http_connections_dropped_total',
    help: 'Connections closed because MAX_CONNECTIONS was reached.',
    registers: [registry],
  });
  // Cached, because looking up the labels costs more than counting.
  const series = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();

  return {
    observe: ({ method, route, status, seconds }) => {
      const key = `${method} ${route} ${status}`;
      let durationsOfKey = series.get(key);
      if (!durationsOfKey) {
        durationsOfKey = durations.labels(method, route ?? 'none', String(status));
        series.set(key, durationsOfKey);
      }
      durationsOfKey.observe(seconds);
      if (route === LOGIN && method === 'POST') logins.inc({ outcome: LOGIN_OUTCOMES[status] ?? 'malformed' });
    },
    unreadable: (status) => unreadable.inc({ status: String(status) }),
    dropped: () => dropped.inc(),
  };
};
