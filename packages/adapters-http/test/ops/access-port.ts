import { type Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeOpsServer } from '@chapter/adapters-http';
import { type Access, makeAccess } from '@chapter/domain';
import { aDivision, aUser, makeWorld, storeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { ResponseJson } from '../../../../test-support/client.ts';

export const EVALUATION = '/access/v1/evaluation';
export const EVALUATIONS = '/access/v1/evaluations';
export const SEARCHES = {
  subject: '/access/v1/search/subject',
  resource: '/access/v1/search/resource',
  action: '/access/v1/search/action',
} as const;

export const JSON_HEADERS = { 'Content-Type': 'application/json' };

/** A response of the internal port. */
export interface AccessResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: ResponseJson;
}

/** Returns a stored user or division as subject or resource. */
export const entity = ({ id }: { readonly id: string }, type = 'user') => ({ type, id });

/** Serves the internal port of a division: Alice is its Leader, and Bob a member who may only read and change himself. */
export const makeAccessPort = async () => {
  const world = makeWorld();
  const north = await storeDivision(world, aDivision());
  const admit = (groups: readonly ('Leader' | 'User')[]) =>
    storeUser(world, aUser().of(north).with({ id: world.ids.next(), groups }));
  const [alice, bob] = [await admit(['Leader']), await admit(['User'])];
  const logged: object[] = [];
  /** Tests may replace the evaluation. */
  const access: { -readonly [Name in keyof Access]: Access[Name] } = makeAccess(world);
  const server = makeOpsServer({
    isStopping: () => false,
    checkDatabase: () => Promise.reject(new Error('no database')),
    refusedHosts: () => [],
    areWorkersReady: () => true,
    registry: { contentType: 'text/plain', metrics: async () => '' },
    access: { ...access, evaluate: (questions) => access.evaluate(questions) },
    log: { error: (fields: object) => void logged.push(fields), warn: () => {} },
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;

  const send = (
    method: string,
    path: string,
    body: string | Buffer = '',
    headers: Readonly<Record<string, string>> = {},
    agent: Agent | false = false,
  ): Promise<AccessResponse> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
        const { headers: received, statusCode: status = 0 } = response;
        const parse = (body: string): unknown =>
          received['content-type'] === 'application/json' ? JSON.parse(body) : body;
        resolve(text(response).then((body) => ({ status, headers: received, body: parse(body) as ResponseJson })));
      });
      sent.on('error', reject);
      // As bytes, so that Node writes the headers as Latin-1.
      sent.end(Buffer.from(body));
    });
  const post = (path: string, body: unknown, headers = {}) =>
    send('POST', path, JSON.stringify(body), { ...JSON_HEADERS, ...headers });
  return {
    world,
    north,
    alice,
    bob,
    access,
    logged,
    number: port,
    send,
    post,
    /** Posts a body, expects success, and returns the body of the response. */
    ok: async (path: string, body: unknown): Promise<AccessResponse['body']> => {
      const response = await post(path, body);
      expect(response.status, JSON.stringify(response.body)).to.equal(200);
      return response.body;
    },
    /** Posts a body, and expects 400 with a message. */
    refused: async (message: string, path: string, body: unknown): Promise<void> => {
      const { body: received, headers, status } = await post(path, body);
      expect([status, received], JSON.stringify(body)).to.deep.equal([400, message]);
      expect([headers['content-type'], headers['cache-control']]).to.deep.equal(['application/json', 'no-store']);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** The served port of {@link makeAccessPort}. */
export type AccessPort = Awaited<ReturnType<typeof makeAccessPort>>;
