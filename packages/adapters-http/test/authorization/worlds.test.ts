import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeHttpApi, makeHttpServer } from '@chapter/adapters-http';
import { makeAuthenticate, makeLogIn, makeUseCases, OPERATOR } from '@chapter/domain';
import {
  fakeHash,
  type InMemoryWorld,
  makeWorld,
  type Person,
  storeDivision,
  storeUser,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import { type Get, viewByHttp } from '../../../../test-support/authorization/view-by-http.ts';
import { afterMove, anyMove, smallWorld, viewByPolicy } from '../../../../test-support/authorization/worlds.ts';

const WORLDS = Number(process.env['FC_RUNS'] ?? 1000);

/** One server for all worlds, which serves the current one. */
const makeServer = async () => {
  let world = makeWorld();
  const ports = Object.fromEntries(
    Object.entries(world).map(([name, port]: [string, unknown]) => [
      name,
      typeof port === 'object' && port !== null
        ? new Proxy(port, {
            get: (_, method) => Reflect.get(world[name as keyof InMemoryWorld] as object, method) as unknown,
          })
        : port,
    ]),
  ) as unknown as InMemoryWorld;
  const ignore = () => {};
  const log = { info: ignore, warn: ignore, error: ignore };
  const server = makeHttpServer(
    makeHttpApi({
      useCases: makeUseCases(ports),
      authenticate: makeAuthenticate(ports),
      settings: { corsOrigins: [], trustedProxies: 0, hsts: false, docs: false },
      log,
    }),
    { log },
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    serve: (next: InMemoryWorld) => {
      world = next;
    },
    getAs:
      (token: string): Get =>
      (path) =>
        new Promise((resolve, reject) => {
          const headers = { authorization: `Bearer ${token}` };
          const sent = request({ host: '127.0.0.1', port, path, headers }, (response) => {
            let text = '';
            response.setEncoding('utf8').on('data', (chunk: string) => {
              text += chunk;
            });
            response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
          });
          sent.on('error', reject).end();
        }),
    close: () => server.close().closeAllConnections(),
  };
};

/** Stores a user and returns an access token. Inactive users were active when they logged in. */
const logInAs = async (stored: InMemoryWorld, person: Person): Promise<string> => {
  await storeUser(stored, { ...person, isActive: true }, fakeHash('a secret'));
  const { accessToken } = await makeLogIn(stored)({ username: person.username, password: 'a secret', network: '' });
  const { isActive } = person;
  await stored.users.update(OPERATOR, person.id, ({ user }) => ({ user: { ...user, isActive }, endsSessions: false }));
  return accessToken;
};

describe('In any world, over HTTP,', function () {
  this.timeout(1_800_000);
  let server: Awaited<ReturnType<typeof makeServer>>;
  let compared = 0;
  before(async () => {
    server = await makeServer();
  });
  after(() => {
    server?.close();
    reportCount(compared, `responses of the API compared with the policy, in ${WORLDS} worlds`);
  });

  it('every caller sees exactly what the policy allows, before and after a user moves', async () => {
    await fc.assert(
      fc.asyncProperty(smallWorld, anyMove, anyMove, async (world, move, { nth }) => {
        const stored = makeWorld();
        const asker = world.people[nth % world.people.length] ?? expect.fail();
        for (const division of world.divisions) await storeDivision(stored, division);
        for (const person of world.people) if (person !== asker) await storeUser(stored, person);
        server.serve(stored);
        const get = server.getAs(await logInAs(stored, asker));
        const { mover, world: moved } = afterMove(world, move);
        for (const present of [world, moved]) {
          if (present === moved) stored.move(mover.id, mover.division.id);
          const view = viewByPolicy(present, present.people[nth % present.people.length] ?? asker);
          expect(await viewByHttp(get, present)).to.deep.equal(view);
          compared += Object.keys(view).length;
        }
      }),
      { numRuns: WORLDS },
    );
  });
});
