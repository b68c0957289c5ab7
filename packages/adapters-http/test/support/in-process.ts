import { createServer, type RequestListener } from 'node:http';
import { duplexPair } from 'node:stream';

/** The parts of a response that these tests check. */
export interface InProcessResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * Returns a function that serves a raw request with Node's HTTP server, without a socket. The request must contain
 * `Connection: close`.
 */
export const makeExchange = (listener: RequestListener) => {
  const server = createServer({ maxHeaderSize: 32 * 1024, requireHostHeader: false }, listener)
    // Like the server of the service.
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
      // Ended only after the response, because Node aborts a request when its client disconnects.
      client.write(request);
    });
};
