import type { Authenticate, FairQueue, UseCases } from '@chapter/domain/api';
import { DOCS, type DocsSettings, makePages, makePasswordPages } from '../docs/pages.ts';
import { HttpError, loggedError } from '../errors/problem.ts';
import type { Route } from '../routes/route.ts';
import { makeRoutes } from '../routes/routes.ts';
import type { Endpoint, HttpContext } from './http-context.ts';
import { makeListener } from './koa.ts';
import { makeChangeQuota, withinDeadline } from './request-limits.ts';
import { fillPattern, type RequestTelemetry } from './request-telemetry.ts';
import { makeOutermostLayer, makeServeRoute } from './serve.ts';
import { encoders, makeServedPage } from './served-page.ts';
import { makeCsvWriter } from './write-csv.ts';

type MethodAndPath = Pick<Endpoint, 'method' | 'path'>;

/** Returns the methods for the `Allow` header. RFC 9110, section 10.2.1. */
const methodsOf = (endpoints: readonly MethodAndPath[]): readonly string[] =>
  endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

const servedPaths = (endpoints: readonly MethodAndPath[]) =>
  [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, endpointsOfPath]) => {
    const expression = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
    return { pattern: path, matches: (sent: string) => expression.test(sent), allow: methodsOf(endpointsOfPath) };
  });

type ServedPath = ReturnType<typeof servedPaths>[number];

/** Formats "GET, HEAD or POST". */
const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const withOtherSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`);

const unknownPath = (path: string, other: ServedPath | undefined, docs: string | null): HttpError => {
  if (path === '/' && docs !== null) {
    return new HttpError('not_found', `this path does not exist; the documentation is at \`${docs}\``);
  }
  if (!other) return new HttpError('not_found', 'this path does not exist');
  return new HttpError('not_found', `this path does not exist; did you mean \`${fillPattern(other.pattern, path)}\`?`);
};

const unknownMethod = (method: string, { allow }: ServedPath, other: ServedPath | undefined): HttpError => {
  // `/api/users/{id}/` is read and `/api/users/{id}` is changed, so the slash is easily mistaken.
  const hint = other?.allow.includes(method) ? `, or ${method} \`${other.pattern}\`` : '';
  const detail = `method not allowed; use ${ALTERNATIVES.format(allow)}${hint}`;
  return new HttpError('method_not_allowed', detail, { Allow: allow.join(', ') });
};

/**
 * Makes the layer after the routes (contract §1). It returns 405 for a known path, 404 for an unknown one, and responds
 * to OPTIONS. The 404 of `/` names the path of the documentation, `docs`, unless that is null.
 */
const makeNoRoute = (endpoints: readonly MethodAndPath[], docs: string | null) => {
  const paths = servedPaths(endpoints);
  const allMethods = [...new Set(paths.flatMap(({ allow }) => allow))].join(', ');
  const find = (path: string) => paths.find(({ matches }) => matches(path));

  return (ctx: HttpContext): void => {
    const { path, method } = ctx;
    if (path === '*') {
      ctx.set('Allow', allMethods);
      ctx.status = 204;
      return;
    }
    const served = find(path);
    if (!served) throw unknownPath(path, find(withOtherSlash(path)), docs);
    if (method !== 'OPTIONS') throw unknownMethod(method, served, find(withOtherSlash(path)));
    ctx.set('Allow', served.allow.join(', '));
    ctx.status = 204;
  };
};

/** The settings of the API (contract §8, contract §9). */
export interface HttpSettings {
  /** The exact origins whose pages may read responses (`https://app.example.org`). */
  readonly corsOrigins: readonly string[];
  /** The number of trusted proxies in front of the service. Each adds to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** How many changes a caller may make in an hour, per process; 0 for any number. */
  readonly changesPerHour: number;
  /** How many milliseconds a request may take, apart from its body and an export. */
  readonly requestDeadlineMs: number;
  /** Whether responses have `Strict-Transport-Security`. RFC 6797. */
  readonly hsts: boolean;
  /** Whether that header has `includeSubDomains`, which commits all hosts below the service's to HTTPS. */
  readonly hstsIncludesSubdomains: boolean;
  /** The minimum length of a new password in code points, which the page that sets a password shows. */
  readonly passwordMinLength: number;
  /** The settings of `/api/docs/` and `/api/openapi/`, or false if they are disabled. */
  readonly docs: DocsSettings | false;
}

/** The ports of the API. */
export interface HttpApiPorts extends RequestTelemetry {
  readonly useCases: UseCases;
  readonly authenticate: Authenticate;
  readonly requests: Pick<FairQueue, 'run'>;
  readonly settings: HttpSettings;
}

/** Makes the REST API as a listener for `node:http`. */
export const makeHttpApi = (ports: HttpApiPorts) => {
  const { useCases, authenticate, requests, settings, log } = ports;
  const { changesPerHour, corsOrigins, docs, passwordMinLength, requestDeadlineMs, trustedProxies } = settings;
  const routes = makeRoutes(useCases);
  const csv = makeCsvWriter(log);
  const countChange = makeChangeQuota(changesPerHour);
  const serveRoute = makeServeRoute({ authenticate, requests, countChange, trustedProxies, writeCsv: csv.write });
  const serve = (route: Route) => withinDeadline(requestDeadlineMs, serveRoute(route));
  const pages = [...makePasswordPages(passwordMinLength), ...(docs ? makePages(routes, docs) : [])].map((page) => ({
    page,
    served: makeServedPage(page, encoders),
  }));
  const endpoints: readonly Endpoint[] = [
    ...routes.map((route) => ({ method: route.method, path: route.path, serve: serve(route) })),
    ...pages.map(({ page, served }) => ({ method: 'GET' as const, path: page.path, serve: served.serve })),
  ];
  const listener = makeListener({
    outermost: makeOutermostLayer(ports, settings),
    corsOrigins,
    endpoints,
    noRoute: makeNoRoute(endpoints, docs ? DOCS : null),
    // Receives the errors of failed connections and failed exports; the latter are already logged. The outermost layer
    // has handled all other errors.
    onWriteError: (error) => log.info({ error: loggedError(error) }, 'response could not be written'),
  });
  return Object.assign(listener, {
    /** Refuses further CSV exports with 503, for instance because the service stops. */
    refuseExports: csv.refuse,
    /** Resets the connections of unfinished CSV exports, so that no client takes a part for the whole file. */
    resetExports: csv.reset,
    /** Compresses the assets of the documentation. Without this call, the first request for an asset does so. */
    compressAssets: async (): Promise<void> => {
      await Promise.all(pages.filter(({ page }) => page.isAsset).map(({ served }) => served.prepare()));
    },
  });
};
