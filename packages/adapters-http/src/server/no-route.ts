import { HttpError } from '../errors/http-error.ts';
import type { Endpoint, HttpContext } from './http-context.ts';
import { fillPattern } from './request-telemetry.ts';

/** A path pattern that has an endpoint. */
interface ServedPath {
  readonly pattern: string;
  readonly matches: (path: string) => boolean;
  /** The methods for the `Allow` header. RFC 9110, section 10.2.1. */
  readonly allow: readonly string[];
}

type MethodAndPath = Pick<Endpoint, 'method' | 'path'>;

const methodsOf = (endpoints: readonly MethodAndPath[]): readonly string[] =>
  endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

const servedPaths = (endpoints: readonly MethodAndPath[]): readonly ServedPath[] =>
  [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, endpointsOfPath]) => {
    const expression = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
    return { pattern: path, matches: (sent) => expression.test(sent), allow: methodsOf(endpointsOfPath) };
  });

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
    if (method !== 'OPTIONS') throw unknownMethod(method, served, find(withOtherSlash(path)));
    ctx.set('Allow', served.allow.join(', '));
    ctx.status = 204;
  };
};
