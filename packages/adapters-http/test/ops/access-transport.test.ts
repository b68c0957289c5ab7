import { Agent } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { makeAccess, unavailable } from '@chapter/domain/api';
import { expect } from 'chai';
import {
  type AccessPort,
  EVALUATION,
  EVALUATIONS,
  entity,
  JSON_HEADERS,
  makeAccessPort,
  SEARCHES,
} from './access-port.ts';

const POSTED = [EVALUATION, EVALUATIONS, ...Object.values(SEARCHES)];
const METADATA = '/.well-known/authzen-configuration';

describe('The transport of AuthZEN 1.0 (sections 9 and 10)', () => {
  let port: AccessPort;
  beforeEach(async () => {
    port = await makeAccessPort();
  });
  afterEach(() => port.close());

  const question = () => ({ subject: entity(port.alice), action: { name: 'getUser' }, resource: entity(port.bob) });

  /** Holds all evaluations, until they are released. */
  const hold = () => {
    const [all, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { evaluate } = makeAccess(port.world);
    let asked = 0;
    port.access.evaluate = async (questions) => {
      asked += 1;
      if (asked === 16) all.resolve();
      await released.promise;
      return evaluate(questions);
    };
    return { allAsked: all.promise, asked: () => asked, release: released.resolve };
  };

  it('names the endpoints under the address that the client used', async () => {
    for (const [headers, address] of [
      [{ Host: 'pdp.example.com' }, 'http://pdp.example.com'],
      [{ Host: 'my_service:9464' }, 'http://my_service:9464'],
      [{ Host: '[::1]:9464' }, 'http://[::1]:9464'],
      [{ Host: 'pdp.example.com', 'X-Forwarded-Proto': 'https' }, 'https://pdp.example.com'],
    ] as const) {
      const response = await port.send('GET', METADATA, '', headers);
      expect([response.status, response.headers['cache-control']]).to.deep.equal([200, 'no-store']);
      expect(response.body).to.deep.equal({
        policy_decision_point: address,
        access_evaluation_endpoint: address + EVALUATION,
        access_evaluations_endpoint: address + EVALUATIONS,
        search_subject_endpoint: address + SEARCHES.subject,
        search_resource_endpoint: address + SEARCHES.resource,
        search_action_endpoint: address + SEARCHES.action,
      });
    }
    for (const host of ['a b', 'a/b', 'user@host', 'a"b']) {
      expect((await port.send('GET', METADATA, '', { Host: host })).status).to.equal(400);
    }
  });

  it('returns the request id that the client sent, also with an error, and makes one otherwise', async () => {
    const id = 'bfe9eb29 any "text" {of} the cli\xe9nt';
    for (const body of [question(), {}]) {
      const { headers } = await port.post(EVALUATION, body, { 'X-Request-ID': id });
      expect(headers['x-request-id']).to.equal(id);
      expect((await port.post(EVALUATION, body)).headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    }
  });

  it('returns 400 for a body that is empty, not JSON, ambiguous, too deep or of another type', async () => {
    const valid = JSON.stringify(question());
    const malformed = 'the body is not well-formed JSON in UTF-8';
    for (const [message, body, headers] of [
      [malformed, '', JSON_HEADERS],
      [malformed, valid.slice(1), JSON_HEADERS],
      [malformed, Buffer.from([0x22, 0xff, 0x22]), JSON_HEADERS],
      ['subject appears more than once', `{"subject":{},${valid.slice(1)}`, JSON_HEADERS],
      ['the body is nested more than 32 levels deep', '['.repeat(33) + ']'.repeat(33), JSON_HEADERS],
      ['the body must be application/json in UTF-8', valid, { 'Content-Type': 'text/plain' }],
      ['the body must be application/json in UTF-8', valid, {}],
      ['the body must not be compressed', valid, { ...JSON_HEADERS, 'Content-Encoding': 'gzip' }],
    ] as const) {
      for (const path of POSTED) {
        const response = await port.send('POST', path, body, headers);
        expect([response.status, response.body]).to.deep.equal([400, message]);
      }
    }
    const utf8 = { 'Content-Type': 'application/json; charset=utf-8' };
    expect((await port.send('POST', EVALUATION, valid, utf8)).status).to.equal(200);
  });

  it('returns 413 for a body of more than 64 KiB, with a length or in chunks', async () => {
    const padded = (size: number) => JSON.stringify({ ...question(), padding: 'x'.repeat(size) });
    const room = 64 * 1024 - padded(0).length;
    for (const headers of [JSON_HEADERS, { ...JSON_HEADERS, 'Transfer-Encoding': 'chunked' }]) {
      expect((await port.send('POST', EVALUATION, padded(room), headers)).status).to.equal(200);
      const { body, status } = await port.send('POST', EVALUATION, padded(room + 1), headers);
      expect([status, body]).to.deep.equal([413, 'the body may have at most 65536 bytes']);
    }
  });

  it('returns 405 for other methods, and 404 for other paths', async () => {
    for (const path of POSTED) {
      const { body, headers, status } = await port.send('GET', path);
      expect([status, headers.allow, body]).to.deep.equal([405, 'POST', 'method not allowed; use POST']);
    }
    expect((await port.send('POST', METADATA)).headers.allow).to.equal('GET, HEAD');
    for (const path of ['/access/v1/', '/access/v2/evaluation', '/access/v1/evaluation/', '/ACCESS/v1/evaluation']) {
      expect((await port.post(path, question())).status).to.equal(404);
    }
  });

  it('returns 403 to browsers, so that no page can ask', async () => {
    for (const path of POSTED) {
      const { body, status } = await port.post(path, question(), { Origin: 'http://127.0.0.1:9464' });
      expect([status, body]).to.deep.equal([403, 'browsers may not use this port']);
    }
  });

  it('returns 503 without a database, and 500 with a logged error that the response does not show', async () => {
    port.access.evaluate = () => Promise.reject(unavailable(new Error('ECONNREFUSED')));
    const away = await port.post(EVALUATION, question());
    expect([away.status, away.headers['retry-after']]).to.deep.equal([503, '1']);
    expect(away.body).to.equal('the service is temporarily unavailable; try again shortly');
    port.access.evaluate = () => Promise.reject(new TypeError('secret'));
    const failed = await port.post(EVALUATION, question(), { 'X-Request-ID': 'r-1' });
    expect([failed.status, failed.body]).to.deep.equal([500, 'internal error; the incident has been logged']);
    expect(port.logged.at(-1)).to.deep.include({ requestId: 'r-1', route: EVALUATION });
  });

  it('serves 16 requests at once, even if one connection sends them all', async () => {
    const { allAsked, release } = hold();
    const body = JSON.stringify(question());
    const head = `POST ${EVALUATION} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const socket = connect(port.number, '127.0.0.1');
    socket.write(`${head}\r\n\r\n${body}`.repeat(15) + `${head}\r\nConnection: close\r\n\r\n${body}`);
    await allAsked;
    expect((await port.post(EVALUATION, question())).status).to.equal(503);
    release();
    expect((await text(socket)).match(/HTTP\/1\.1 200/g)).to.have.lengthOf(16);
    expect((await port.post(EVALUATION, question())).status).to.equal(200);
  });

  it('refuses requests that take longer than 5 s, and serves no others in their place until their work ends', async () => {
    const { allAsked, asked, release } = hold();
    const ask = async () => (await port.post(EVALUATION, question())).status;
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const statuses = Promise.all(Array.from({ length: 16 }, ask));
      await allAsked;
      mock.timers.tick(5000);
      expect([new Set(await statuses), await ask(), asked()]).to.deep.equal([new Set([503]), 503, 16]);
    } finally {
      mock.timers.reset();
    }
    release();
    while ((await ask()) !== 200);
  });

  it('closes connections after a response while more than half are open, so that health checks find one', async () => {
    const agent = new Agent({ keepAlive: true });
    const ask = () => port.send('POST', EVALUATION, JSON.stringify(question()), JSON_HEADERS, agent);
    const { allAsked, release } = hold();
    const responses = Promise.all(Array.from({ length: 16 }, ask));
    await allAsked;
    release();
    expect((await responses).filter(({ headers }) => headers.connection !== 'close')).to.have.length.within(0, 8);
    // Until the server has noticed that the connections are closed.
    while ((await ask()).headers.connection === 'close');
    const checks = await Promise.all(Array.from({ length: 8 }, () => port.send('GET', '/livez')));
    expect(new Set(checks.map(({ status }) => status))).to.deep.equal(new Set([200]));
    agent.destroy();
  });
});
