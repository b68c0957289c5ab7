import { atLeast } from '../counts.ts';
import { hostileBodies } from './bodies.ts';
import { hostileHeads } from './heads.ts';
import type { HostileInput, HostileRequest } from './hostile-input.ts';
import { hostileQueries } from './queries.ts';

/** The most expensive known requests: each part of a request at its maximum size. */
export const hostileInputs: readonly HostileInput[] = [
  ...atLeast(10, hostileHeads),
  ...atLeast(8, hostileQueries),
  ...atLeast(10, hostileBodies),
];

/** The ids and access tokens that requests need. */
export interface HostileTarget {
  /** The ids of the caller and of their division. */
  readonly user: string;
  readonly division: string;
  /** Access tokens. */
  readonly leader: string;
  readonly administrator: string;
}

/** Returns the bytes of a request. The server closes the connection after its response. */
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
