import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors/operator-error.ts';

/** Where a server listens. */
export interface Listening {
  readonly host: string;
  readonly port: number;
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'there is no such host',
};

/** What no other port would help against. */
const HOST_ERRORS = new Set(['EADDRNOTAVAIL', 'ENOTFOUND']);

/** Milliseconds for which a port in use is tried again: a service that was just told to stop may still have it. */
const PORT_WAIT_MS = 2000;

const tryToListen = async (server: Server, { host, port }: Listening): Promise<AddressInfo> => {
  server.listen(port, host);
  await once(server, 'listening');
  return server.address() as AddressInfo;
};

/**
 * Lets a server listen and returns its address, in which port 0 has become a real one. `setting` names the port;
 * `alternative` ends the advice to set it to another one.
 *
 * @throws OperatorError with the setting to change.
 */
export const listen = async (
  server: Server,
  { host, port }: Listening,
  setting: 'PORT' | 'OPS_PORT',
  alternative = '',
): Promise<Listening> => {
  const until = Date.now() + PORT_WAIT_MS;
  for (;;) {
    try {
      return { host, port: (await tryToListen(server, { host, port })).port };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      const reason = LISTEN_ERRORS[code] ?? 'it was refused';
      if (code !== 'EADDRINUSE' || Date.now() > until) {
        const advice = HOST_ERRORS.has(code)
          ? `set ${setting.replace('PORT', 'HOST')} to another address`
          : `set ${setting} to another port${alternative}`;
        throw new OperatorError(`cannot listen on ${host}:${port}: ${reason}; ${advice}`, error);
      }
      await sleep(100);
    }
  }
};

/** Milliseconds that a connection without a request is kept open for one that may be on its way already. */
const IDLE_CLOSE_INTERVAL_MS = 1000;

/**
 * Takes no more connections and lets the requests that run finish. Whoever sends another one on an open connection is
 * answered, and told that it was the last; connections that only wait are closed a moment later, for closing them at once
 * would lose the requests that cross the closing. What still runs after `seconds` is cut off.
 */
export const drain = async (server: Server, seconds: number): Promise<void> => {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  const closed = new Promise<void>((resolve) => {
    // Not the HTTP server's own close, which ends idle connections at once.
    NetServer.prototype.close.call(server, () => resolve());
  });
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CLOSE_INTERVAL_MS);
  const cut = setTimeout(() => server.closeAllConnections(), seconds * 1000);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
};

/** Returns the URL by which a browser on this machine reaches the address. */
export const browserUrl = ({ host, port }: Listening): string => {
  const shown = host === '0.0.0.0' || host === '127.0.0.1' || host === '::' ? 'localhost' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
};
