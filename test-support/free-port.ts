import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Returns a free port below those that systems give to connections and to servers without a port of their own, so that none of these
 * takes it before its user listens.
 */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const port = randomInt(10_000, 32_768);
    const server = createServer()
      .once('error', () => resolve(freePort()))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
