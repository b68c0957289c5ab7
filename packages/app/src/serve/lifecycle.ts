import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../operator-error.ts';

/** Where a server listens. */
export interface Listening {
  readonly host: string;
  readonly port: number;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'there is no such host',
};

/** Milliseconds for which a port in use is tried again: a service that was just told to stop may still have it. */
const PATIENCE = 2000;

const tryToListen = async (server: Server, { host, port }: Listening): Promise<AddressInfo> => {
  server.listen(port, host);
  await once(server, 'listening');
  return server.address() as AddressInfo;
};

/**
 * Lets a server listen, and answers where it does: port 0 has become a real one.
 *
 * @throws OperatorError with the setting to change.
 */
export const listen = async (server: Server, { host, port }: Listening, setting: string): Promise<Listening> => {
  const until = Date.now() + PATIENCE;
  for (;;) {
    try {
      return { host, port: (await tryToListen(server, { host, port })).port };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      const reason = REASONS[code] ?? 'it was refused';
      if (code !== 'EADDRINUSE' || Date.now() > until) {
        throw new OperatorError(`cannot listen on ${host}:${port}: ${reason}; set ${setting} to another`, error);
      }
      await sleep(100);
    }
  }
};

/**
 * Takes no more connections, lets the requests that run finish, and closes the connections that only wait. Those that
 * still run after `seconds` are cut off.
 */
export const drain = async (server: Server, seconds: number): Promise<void> => {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), seconds * 1000);
  await closed;
  clearTimeout(cut);
};

/** An address as a browser takes it. */
export const urlOf = ({ host, port }: Listening): string => {
  const shown = host === '0.0.0.0' || host === '127.0.0.1' || host === '::' ? 'localhost' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
};
