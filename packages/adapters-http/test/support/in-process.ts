import { createServer, type RequestListener } from 'node:http';
import { duplexPair } from 'node:stream';

/** A response as far as these tests look at it. */
export interface InProcessResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * Returns a function that lets a listener serve a request, as it is on the wire, by Node's HTTP server but without a
 * socket. The request has to ask for `Connection: close`.
 */
export const makeExchange = (listener: RequestListener) => {
  const server = createServer({ maxHeaderSize: 32 * 1024, requireHostHeader: false }, listener)
    // As the service's own server does.
    .on('checkExpectation', listener);
  return (request: Buffer): Promise<InProcessResponse> =>
    new Promise((resolve, reject) => {
      const [client, connection] = duplexPair();
      const chunks: Buffer[] = [];
      client.on('data', (chunk: Buffer) => void chunks.push(chunk));
      client.on('error', reject);
      client.on('end', () => {
        client.end();
        server.off('clientError', reject);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: Number(text.split(' ', 2)[1]), text });
      });
      server.once('clientError', reject);
      server.emit('connection', connection);
      // Ended only behind the response: Node aborts a request whose client has gone.
      client.write(request);
    });
};
