import type { RequestListener } from 'node:http';
import type { Authenticate, UseCases } from '@chapter/domain';
import { Router } from '@koa/router';
import Koa from 'koa';
import { DOCS, makePages } from '../docs/pages.ts';
import { loggedError } from '../errors/error-log.ts';
import { authenticationRoutes } from '../routes/authentication.ts';
import { divisionRoutes } from '../routes/divisions.ts';
import type { Route } from '../routes/route.ts';
import { serviceRoutes } from '../routes/service.ts';
import { userRoutes } from '../routes/users.ts';
import { makeCors } from './cors.ts';
import { makeEdge, type RequestRecord } from './edge.ts';
import type { RequestState } from './http-context.ts';
import { makeNoRoute, type ServedPath } from './no-route.ts';
import { makeServePage } from './serve-page.ts';
import { makeServe } from './serve-route.ts';
import type { HttpSettings } from './settings.ts';

/** What the API needs. */
export interface HttpApiPorts extends RequestRecord {
  readonly useCases: UseCases;
  readonly authenticate: Authenticate;
  readonly settings: HttpSettings;
}

/** All endpoints. They serve, check and document themselves. */
export const makeRoutes = (useCases: UseCases): readonly Route[] => [
  ...authenticationRoutes(useCases),
  ...userRoutes(useCases),
  ...divisionRoutes(useCases),
  ...serviceRoutes(useCases),
];

const methodsOf = (endpoints: readonly { readonly method: string }[]): readonly string[] =>
  endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

const servedPaths = (endpoints: readonly { readonly path: string; readonly method: string }[]): readonly ServedPath[] =>
  [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, sharing]) => {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
    return { matches: (sent) => pattern.test(sent), allow: methodsOf(sharing) };
  });

/** The REST API as a listener for `node:http`. */
export const makeHttpApi = ({ useCases, authenticate, settings, log, metrics }: HttpApiPorts): RequestListener => {
  const routes = makeRoutes(useCases);
  const pages = settings.docs ? makePages(routes) : [];
  const serve = makeServe({ authenticate, trustedProxies: settings.trustedProxies });
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  for (const route of routes) {
    router.register(route.path.replace(/\{(\w+)\}/g, ':$1'), [route.method], serve(route));
  }
  for (const page of pages) router.get(page.path, makeServePage(page));
  const app = new Koa<RequestState>();
  // Connections that break while an answer is written; refusals never come this far.
  app.on('error', (error: unknown) => log.info({ error: loggedError(error) }, 'answer could not be written'));
  app.use(makeEdge({ log, metrics, hsts: settings.hsts }));
  app.use(makeCors(settings.corsOrigins));
  app.use(router.routes());
  const paths = servedPaths([...routes, ...pages.map(({ path }) => ({ path, method: 'GET' }))]);
  app.use(makeNoRoute(paths, settings.docs ? DOCS : null));
  const answer = app.callback();
  return (request, response) => {
    void answer(request, response);
  };
};
