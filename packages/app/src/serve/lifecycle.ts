import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '../config/addresses.ts';
import { codeOf, OperatorError } from '../errors/operator-error.ts';

/**
 * Milliseconds of the parts of a stop. A worker finishes its `requests` and exports its `traces`. Then the instance
 * closes its internal port and exports its own traces. `all` counts from the end of the shutdown delay. Contract §9.
 */
export const STOP_LIMITS_MS = { requests: 7000, worker: 7800, internalPort: 500, traces: 500, all: 9500 };

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EAFNOSUPPORT: 'this machine has no such addresses',
  EAI_AGAIN: 'the host name cannot be resolved',
  ENOTFOUND: 'the host name cannot be resolved',
};

const HOST_ERRORS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN', 'ENOTFOUND']);

/** Milliseconds during which a port in use is retried, because a stopping service may still hold it. */
const PORT_WAIT_MS = 2000;

/**
 * Starts listening and returns the address. If `port` is 0, the address contains the port that the system chose.
 * `setting` is the name of the port's setting, and `alternative` is appended to the advice to set it to another port.
 *
 * @throws OperatorError with the setting to change.
 */
export const listen = async (
  server: NetServer,
  { host, port }: Address,
  setting: 'PORT' | 'OPS_PORT',
  alternative = '',
): Promise<Address> => {
  const until = Date.now() + PORT_WAIT_MS;
  for (;;) {
    try {
      server.listen(port, host);
      await once(server, 'listening');
      return { host, port: (server.address() as AddressInfo).port };
    } catch (error) {
      const code = codeOf(error);
      const reason = LISTEN_ERRORS[code] ?? 'the system refused it';
      if (code !== 'EADDRINUSE' || Date.now() > until) {
        const advice = HOST_ERRORS.has(code)
          ? `set ${setting.replace('PORT', 'HOST')} to another address`
          : `set ${setting} to another port${alternative}`;
        throw new OperatorError(`Cannot listen on ${host}:${port}: ${reason}; ${advice}.`, error);
      }
      await sleep(100);
    }
  }
};

/** Interval in milliseconds at which idle connections are closed. A request on its way can arrive before. */
const IDLE_CLOSE_INTERVAL_MS = 1000;

/**
 * Stops accepting connections and waits until running requests are finished. Further requests on open connections get a
 * response with `Connection: close`. Idle connections are closed a moment later, because closing them at once would
 * lose requests that are already on their way. Connections that are still open after `limitMs` are cut off, after a
 * call of `beforeCut`.
 */
export const drain = async (server: Server, limitMs: number, beforeCut: () => void = () => {}): Promise<void> => {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  const closed = once(server, 'close');
  // The HTTP server's close() would end idle connections at once.
  NetServer.prototype.close.call(server);
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CLOSE_INTERVAL_MS);
  const cut = setTimeout(() => {
    beforeCut();
    server.closeAllConnections();
  }, limitMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
};
