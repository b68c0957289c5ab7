import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { readJson } from '../../src/requests/read-json.ts';
import type { RequestState } from '../../src/server/http-context.ts';
import { readBytes } from '../../src/server/koa.ts';
import { useServedChapter } from '../support/chapter.ts';
import { exchange } from '../support/exchange.ts';

const HEAD = [
  'POST /api/auth/login/ HTTP/1.1',
  'Host: a',
  'Connection: close',
  'Content-Type: application/json',
  'Transfer-Encoding: chunked',
].join('\r\n');
const LOGIN = '{"username":"x","password":"x"}';

describe('A body in chunks of one byte', () => {
  const chapter = useServedChapter();

  const chunked = (body: string) => `${HEAD}\r\n\r\n${body.replaceAll(/[^]/g, (byte) => `1\r\n${byte}\r\n`)}0\r\n\r\n`;
  const logIn = (body: string) => exchange(chapter.port, chunked(body));

  it('is read up to 4,096 chunks', async () => {
    expect(await logIn(LOGIN.padEnd(4096))).to.include({ status: 401 });
  });

  it('is rejected with 413 beyond 4,096 chunks', async () => {
    const { status, body } = await logIn(LOGIN.padEnd(4097));
    expect(status).to.equal(413);
    expect(body).to.include({ code: 'body_too_large', detail: 'the body may have at most 4096 chunks' });
  });

  it('is not read beyond 8,192 chunks', async () => {
    const request = Object.assign(new IncomingMessage(new Socket()), {
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    });
    const ctx = new Koa<RequestState>().createContext<RequestState>(request, new ServerResponse(request));
    const refused = readJson({ message: request, readBytes: () => readBytes(ctx) }, ['application/json']).catch(
      (error: unknown) => error,
    );
    let chunks = 0;
    for (; chunks < 20_000 && !request.socket.destroyed; chunks++) {
      request.push(' ');
      await Promise.resolve();
    }
    expect(await refused).to.have.property('code', 'body_too_large');
    expect(chunks).to.be.within(8193, 8300);
  });
});
