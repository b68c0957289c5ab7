import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type HashRequest, unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import { makeServedChapter, useServedChapter } from '../support/chapter.ts';

describe('A client that disconnects while it waits for a hash', () => {
  /** Resolves the next call of the hasher. */
  let called: (request: HashRequest) => void = () => {};
  const serve = () => {
    const wait = async (request: HashRequest | undefined): Promise<never> => {
      if (request) called(request);
      while (!request?.isAbandoned?.()) await turn();
      throw unavailable();
    };
    return makeServedChapter({}, ({ hasher }) => ({
      hasher: {
        ...hasher,
        hash: (_, request) => wait(request),
        // Logins that prepare a test use the right password and do not wait.
        verify: (password, hash, request) =>
          password === 'guess' ? wait(request) : hasher.verify(password, hash, request),
      },
    }));
  };
  const chapter = useServedChapter({ serve });

  const requests: Record<string, () => Promise<{ line: string; body: object; token?: string }>> = {
    'logging in': async () => ({
      line: 'POST /api/auth/login/',
      body: { username: 'user', password: 'guess' },
    }),
    'creating a user': async () => ({
      line: 'POST /api/users/',
      body: { username: 'ada', password: 'analytical engine' },
      token: await chapter.tokenOf(chapter.leader),
    }),
  };

  for (const [doing, makeRequest] of Object.entries(requests)) {
    for (const way of ['destroy', 'end', 'resetAndDestroy'] as const) {
      it(`is detected while ${doing} (${way})`, async () => {
        const { line, body, token } = await makeRequest();
        const text = JSON.stringify(body);
        const headers = ['Host: a', 'Content-Type: application/json', `Content-Length: ${text.length}`];
        if (token) headers.push(`Authorization: Bearer ${token}`);
        const socket = connect(chapter.port, '127.0.0.1').on('error', () => {});
        const { promise, resolve } = Promise.withResolvers<HashRequest>();
        called = resolve;
        socket.write(`${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${text}`);
        const request = await promise;
        expect(request.isAbandoned?.()).to.equal(false);
        socket[way]();
        while (!request.isAbandoned?.()) await turn();
        socket.destroy();
      });
    }
  }
});
