import { parseUuid } from '@chapter/domain';
import type { Logger } from 'pino';
import { DOCS } from '../docs/pages.ts';
import type { Problem } from '../errors/problem.ts';

/** Where requests are logged: pino, or anything that takes its calls. */
export type HttpLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** An answered request. What could not be read as a request has null for what is unknown. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly caller: { readonly id: string; readonly username: string } | null;
  readonly method: string | null;
  /** The path pattern of the route, or null if there is none. */
  readonly route: string | null;
  /** The path as it was sent, without the query string. */
  readonly path: string | null;
  readonly status: number;
  /** The problem that the response is, if it is one. */
  readonly problem?: Pick<Problem, 'code' | 'detail' | 'errors'> | undefined;
  readonly milliseconds: number | null;
}

/** Logs one answered request. */
export type LogRequest = (request: LoggedRequest) => void;

/** Logs requests for machines: the same fields in each line, without names and without anything that a client typed. */
export const logRequestFields =
  (log: HttpLog): LogRequest =>
  ({ requestId, caller, method, route, status, problem, milliseconds }) =>
    log.info(
      { requestId, callerId: caller && caller.id, method, route, status, code: problem?.code, milliseconds },
      'request',
    );

/** Faults of one request that a line shows; further ones are counted. */
const MAX_SHOWN_FAULTS = 3;

/** Escapes what a terminal would not show as text, because details quote names from the request. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return `\\u{${codePoint.toString(16)}}`;
  });

/**
 * Returns the path with the ids that are UUIDs. Anything else that a client put into a path may be a secret in the wrong
 * place, so it is not logged.
 */
const shownPath = ({ path, route }: LoggedRequest): string => {
  if (route === null) return '(no route)';
  const sent = path?.split('/') ?? [];
  return route
    .split('/')
    .map((part, at) => (part.startsWith('{') ? (parseUuid(sent[at] ?? '') ?? part) : part))
    .join('/');
};

const problemText = ({ code, detail, errors }: NonNullable<LoggedRequest['problem']>): string => {
  if (errors.length === 0) return `${code}: ${detail}`;
  const shown = errors.slice(0, MAX_SHOWN_FAULTS).map((fault) => `${fault.field || 'body'}: ${fault.detail}`);
  const more = errors.length - shown.length;
  return `${code}: ${shown.join('; ')}${more > 0 ? `; ${more} more` : ''}`;
};

/**
 * Logs requests for people, one line each: `GET /api/users/ 200 9.5 ms leader`, with code and detail of a problem. Requests
 * for parts of the documentation page are logged at debug level.
 */
export const logRequestText =
  (log: Pick<Logger, 'debug' | 'info'>): LogRequest =>
  (request) => {
    const { caller, method, milliseconds, problem, route, status } = request;
    const isAsset = route !== null && route !== DOCS && route.startsWith(DOCS);
    const parts = [
      ...(method === null ? ['(unreadable request)'] : [method, shownPath(request)]),
      String(status),
      ...(milliseconds === null ? [] : [`${milliseconds} ms`]),
      ...(caller === null ? [] : [caller.username]),
      ...(problem === undefined ? [] : [problemText(problem)]),
    ];
    log[isAsset ? 'debug' : 'info'](printable(parts.join(' ')));
  };
