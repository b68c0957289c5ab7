import type { Authenticate, FairQueue, UseCases } from '@chapter/domain/api';
import { DOCS, makePages } from '../docs/pages.ts';
import { makePasswordPages } from '../docs/password-page.ts';
import { loggedError } from '../errors/problem.ts';
import type { Route } from '../routes/route.ts';
import { makeRoutes } from '../routes/routes.ts';
import { makeChangeQuota } from './change-quota.ts';
import { withinDeadline } from './deadline.ts';
import type { Endpoint } from './http-context.ts';
import { makeListener } from './koa.ts';
import { makeNoRoute } from './no-route.ts';
import type { RequestTelemetry } from './request-telemetry.ts';
import { makeOutermostLayer, makeServeRoute } from './serve.ts';
import { encoders, makeServedPage } from './served-page.ts';
import type { HttpSettings } from './settings.ts';
import { makeCsvWriter } from './write-csv.ts';

/** The ports of the API. */
export interface HttpApiPorts extends RequestTelemetry {
  readonly useCases: UseCases;
  readonly authenticate: Authenticate;
  readonly requests: Pick<FairQueue, 'run'>;
  readonly settings: HttpSettings;
}

/** Makes the REST API as a listener for `node:http`. */
export const makeHttpApi = (ports: HttpApiPorts) => {
  const { useCases, authenticate, requests, settings, log, logRequest, metrics, traceRequest } = ports;
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
    outermost: makeOutermostLayer({ log, logRequest, metrics, traceRequest, settings }),
    corsOrigins,
    endpoints,
    noRoute: makeNoRoute(endpoints, docs ? DOCS : null),
    // Receives the errors of failed connections and failed exports; the latter are already logged. The outermost layer has
    // handled all other errors.
    onWriteError: (error) => log.info({ error: loggedError(error) }, 'response could not be written'),
  });
  return Object.assign(listener, {
    /** Refuses further CSV exports with 503, for instance because the service stops. */
    refuseExports: csv.refuse,
    /** Resets the connections of unfinished CSV exports, so that no client takes a part for the whole file. */
    resetExports: csv.reset,
    /** Compresses the assets of the documentation. A request for an asset waits for that, or compresses it itself without this call. */
    compressAssets: async (): Promise<void> => {
      await Promise.all(pages.filter(({ page }) => page.isAsset).map(({ served }) => served.prepare()));
    },
  });
};
