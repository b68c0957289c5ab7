import { HttpError } from '../errors/http-error.ts';
import type { Endpoint, HttpContext } from './http-context.ts';

/** A path pattern that has an endpoint. */
interface ServedPath {
  readonly matches: (path: string) => boolean;
  /** The methods for the `Allow` header. RFC 9110, section 10.2.1. */
  readonly allow: readonly string[];
}

type MethodAndPath = Pick<Endpoint, 'method' | 'path'>;

const methodsOf = (endpoints: readonly MethodAndPath[]): readonly string[] =>
  endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

const servedPaths = (endpoints: readonly MethodAndPath[]): readonly ServedPath[] =>
  [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, endpointsOfPath]) => {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
    return { matches: (sent) => pattern.test(sent), allow: methodsOf(endpointsOfPath) };
  });

const MAX_SHOWN_PATH_LENGTH = 200;

/** Formats "GET, HEAD or POST". */
const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const withOtherSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`);

const unknownPath = (path: string, other: ServedPath | undefined, docs: string | null): HttpError => {
  if (path === '/' && docs !== null) {
    return new HttpError('not_found', `this path does not exist; the documentation is at \`${docs}\``);
  }
  const right = withOtherSlash(path);
  if (!other || right.length > MAX_SHOWN_PATH_LENGTH) return new HttpError('not_found', 'this path does not exist');
  return new HttpError('not_found', `this path does not exist; did you mean \`${right}\`?`);
};

/**
 * Makes the layer after the routes (contract §1). It returns 405 for a known path, 404 for an unknown one, and responds to
 * OPTIONS. The 404 of `/` names the path of the documentation, `docs`, unless that is null.
 */
export const makeNoRoute = (endpoints: readonly MethodAndPath[], docs: string | null) => {
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
    const allow = served.allow.join(', ');
    if (method !== 'OPTIONS') {
      throw new HttpError('method_not_allowed', `method not allowed; use ${ALTERNATIVES.format(served.allow)}`, {
        Allow: allow,
      });
    }
    ctx.set('Allow', allow);
    ctx.status = 204;
  };
};
