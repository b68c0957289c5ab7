import { hostileBodies } from './bodies.ts';
import { hostileHeads } from './heads.ts';
import type { HostileInput, HostileRequest } from './hostile-input.ts';
import { hostileQueries } from './queries.ts';

/** Requests that take the longest, in every form that is known: each part of a request at its largest. */
export const hostileInputs: readonly HostileInput[] = [...hostileHeads, ...hostileQueries, ...hostileBodies];

/** Who and what a request is about. */
export interface HostileTarget {
  /** The caller's id, and that of their division. */
  readonly user: string;
  readonly division: string;
  /** Access tokens. */
  readonly leader: string;
  readonly administrator: string;
}

/** Returns a request as it is written to a connection, which the server closes behind its response. */
export const bytesOf = (request: HostileRequest, target: Partial<HostileTarget>): Buffer => {
  const { method, path, as, headers = {}, body } = request;
  const lines = [
    `${method} ${path.replace('{user}', target.user ?? '').replace('{division}', target.division ?? '')} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...(as ? [`Authorization: Bearer ${target[as]}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined || headers['Transfer-Encoding'] ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), Buffer.from(body ?? '')]);
};
