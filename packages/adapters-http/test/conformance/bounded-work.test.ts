import { createServer, type RequestListener } from 'node:http';
import { duplexPair } from 'node:stream';
import { expect } from 'chai';
import { bytesOf, type HostileTarget, hostileInputs } from '../../../../test-support/hostile-requests/index.ts';
import { makeServedChapter, useServedChapter } from '../support/chapter.ts';

/** The parts of a response that these tests check. */
interface InProcessResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * Returns a function that serves a raw request with Node's HTTP server, without a socket. The request must contain
 * `Connection: close`.
 */
const makeExchange = (listener: RequestListener) => {
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

// `npm run bench:corpus` measures their CPU time, and how it grows with the bytes.
describe('The most expensive requests are read whole, then served or refused', () => {
  // No login limit, so that all attempts end alike.
  const begin = async () => ({ succeeded: async () => {}, withdraw: async () => {} });
  const chapter = useServedChapter({
    serve: () =>
      makeServedChapter({ trustedProxies: 1 }, (ports) => ({ loginLimits: { ...ports.loginLimits, begin } })),
  });
  let exchange: (request: Buffer) => Promise<InProcessResponse>;
  let target: HostileTarget;
  before(async () => {
    exchange = makeExchange(chapter.api);
    target = {
      user: chapter.leader.id,
      division: chapter.north.id,
      leader: await chapter.tokenOf(chapter.leader),
      administrator: await chapter.tokenOf(chapter.admin),
    };
  });
  // Discards the log, which would grow with every request.
  afterEach(() => void chapter.log.splice(0));

  // Requests whose connection is destroyed need a socket; chunks.test.ts tests them.
  for (const { title, maxBytes, make } of hostileInputs.filter(({ isDisconnected }) => !isDisconnected)) {
    it(title, async () => {
      const { status, text } = await exchange(bytesOf(make(maxBytes), target));
      expect(status, text).to.be.within(200, 499);
      expect(status, 'refused before it is read').to.not.be.oneOf([413, 431]);
    });
  }
});
