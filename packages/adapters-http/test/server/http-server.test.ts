import { makeHttpServer } from '@chapter/adapters-http';
import { expect } from 'chai';

describe('The server of the API', () => {
  it('allows 10 s for headers, 30 s for a request, 30 s without progress and 65 s between requests', () => {
    const server = makeHttpServer(() => {}, { log: console });
    expect(server).to.include({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      timeout: 30_000,
      keepAliveTimeout: 65_000,
    });
  });
});
