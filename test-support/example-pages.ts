import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

/** Starts a server on a free port and returns its URL. */
export const listenOnFreePort = async (server: Server): Promise<string> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

/**
 * Makes a server for the example's page and for the domain package, whose tarball is unpacked in `built`. The page trusts the
 * service at `serviceUrl()` in place of http://localhost:3000.
 */
export const makePageServer = (built: string, serviceUrl: () => string): Server =>
  createServer(({ url = '' }, response) => {
    const [path = ''] = url.split('?');
    const file = path.startsWith('/package/dist/')
      ? join(built, path.slice('/package/dist/'.length))
      : join('examples/browser', path);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? 'text/html';
    const text = readFileSync(file, 'utf8').replace('http://localhost:3000', serviceUrl);
    return response.setHeader('Content-Type', type).end(text);
  });
