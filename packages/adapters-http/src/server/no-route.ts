import { HttpError } from '../errors/http-error.ts';
import type { Endpoint, HttpContext } from './http-context.ts';

/** A path pattern as it is served. */
interface ServedPath {
  readonly matches: (path: string) => boolean;
  /** The methods for the `Allow` header. RFC 9110, section 10.2.1. */
  readonly allow: readonly string[];
}

type MethodAndPath = Pick<Endpoint, 'method' | 'path'>;

const methodsOf = (endpoints: readonly MethodAndPath[]): readonly string[] =>
  endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

const servedPaths = (endpoints: readonly MethodAndPath[]): readonly ServedPath[] =>
  [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, sharing]) => {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
    return { matches: (sent) => pattern.test(sent), allow: methodsOf(sharing) };
  });

const MAX_SHOWN = 200;

const withOtherSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`);

const notThere = (path: string, other: ServedPath | undefined, docs: string | null): HttpError => {
  if (path === '/' && docs !== null) {
    return new HttpError('not_found', `there is no such path; the documentation is at \`${docs}\``);
  }
  const right = withOtherSlash(path);
  if (!other || right.length > MAX_SHOWN) return new HttpError('not_found', 'there is no such path');
  return new HttpError('not_found', `there is no such path; did you mean \`${right}\`?`);
};

/**
 * Makes the layer behind the routes: 405 where the path is there, else 404 (contract, section 1), and OPTIONS. `docs` is
 * where the documentation is, which the root names, or null.
 */
export const makeNoRoute = (endpoints: readonly MethodAndPath[], docs: string | null) => {
  const paths = servedPaths(endpoints);
  const everything = [...new Set(paths.flatMap(({ allow }) => allow))].join(', ');
  const find = (path: string) => paths.find(({ matches }) => matches(path));

  return (ctx: HttpContext): void => {
    const { path, method } = ctx;
    if (path === '*') {
      ctx.set('Allow', everything);
      ctx.status = 204;
      return;
    }
    const served = find(path);
    if (!served) throw notThere(path, find(withOtherSlash(path)), docs);
    const allow = served.allow.join(', ');
    if (method !== 'OPTIONS') {
      throw new HttpError('method_not_allowed', `this path has ${allow} only`, { Allow: allow });
    }
    ctx.set('Allow', allow);
    ctx.status = 204;
  };
};
