import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientOf, type ResponseJson } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { query } from '../../../../test-support/query.ts';
import { type ServiceProcess, serveInProcess } from '../../../../test-support/service-process.ts';
import { DEMO_PASSWORD } from '../../src/database/demo-data.ts';
import { call } from '../cli/call.ts';

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

/** Rotates the keys outside the services' processes and returns the id of the new signing key. */
const rotate = async (file: string, ...more: readonly string[]): Promise<string> => {
  const { err, out, status } = await call(['keys', 'rotate', '--json', '--file', file, ...more]);
  expect(status, err).to.equal(0);
  return (JSON.parse(out) as { signs: string }).signs;
};

describe('Two services on one database', () => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeFolder();
  const keysFile = join(dataDir, 'keys.json');
  const services: ServiceProcess[] = [];

  before('start two services, of which the first creates the keys', async () => {
    for (const _ of [0, 1]) services.push(await serveInProcess({ DATABASE_URL: database.url, DATA_DIR: dataDir }));
  });
  after(() => Promise.all(services.map(({ end }) => end())));

  const clientAt = (at: number, token?: string) => clientOf(services[at]?.url ?? '', token);
  const logIn = async (username: string) =>
    (await clientAt(0)('POST', '/api/auth/login/', { username, password: DEMO_PASSWORD })).body;

  it('end all sessions of a user who changes the password, at the next request, although they have cached the tokens', async () => {
    const tokens = [await logIn('leader'), await logIn('leader')].map(({ access_token: token }) => token);
    const statuses = () =>
      Promise.all(
        [0, 1].flatMap((at) => tokens.map(async (one) => (await clientAt(at, one)('GET', '/api/info/')).status)),
      );
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
    const { id } = (await clientAt(0, tokens[0])('GET', '/api/info/')).body;
    const change = { password: 'a long enough secret', current_password: DEMO_PASSWORD };
    expect((await clientAt(0, tokens[0])('PATCH', `/api/users/${id}`, change)).status).to.equal(200);
    expect(await statuses()).to.deep.equal([401, 401, 401, 401]);
  });

  it('keep all users logged in during a rotation of the keys under load, even with old tokens', async () => {
    const sessions = await Promise.all(['guest', 'user', 'admin'].map(logIn));
    const refusals: unknown[] = [];
    /** The keys with which each service has signed tokens. */
    const signed = [new Set<string>(), new Set<string>()] as const;
    const issued: string[] = [];
    const turns = new EventEmitter();
    const over = new AbortController();

    const use = async (session: ResponseJson): Promise<void> => {
      let [access, refresh] = [session.access_token, session.refresh_token];
      for (let turn = 0; !over.signal.aborted; turn++) {
        const [issuer, other] = turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
        // Each service accepts tokens that the other has just signed, with any of the keys.
        for (const token of [access, session.access_token]) {
          const { status, body } = await clientAt(other, token)('GET', '/api/info/');
          if (status !== 200) refusals.push({ turn, status, body });
        }
        const { status, body } = await clientAt(issuer)('POST', '/api/auth/tokens/', { refresh_token: refresh });
        if (status !== 200) refusals.push({ turn, status, body });
        else [access, refresh] = [body.access_token, body.refresh_token];
        signed[issuer].add(kidOf(access));
        issued.push(access);
        turns.emit('turn');
      }
    };
    const untilBothSignWith = async (kid: string): Promise<void> => {
      while (refusals.length === 0 && !signed.every((kids) => kids.has(kid))) {
        await once(turns, 'turn');
        // The loops refresh more often than the limit allows.
        await query(database.url, 'update session set refreshes = 0');
      }
    };

    const using = Promise.all(sessions.map(use));
    const rotations = [await rotate(keysFile)];
    await untilBothSignWith(rotations[0] ?? '');
    // The services may notice only the second of these two rotations.
    rotations.push(await rotate(keysFile, '--algorithm', 'ES256'), await rotate(keysFile));
    await untilBothSignWith(rotations[2] ?? '');
    over.abort();
    await using;

    expect(refusals).to.deep.equal([]);
    for (const at of [0, 1]) {
      const { keys } = (await clientAt(at)('GET', '/api/auth/keys/')).body;
      const kids = keys.map(({ kid }: { kid: string }) => kid);
      expect(kids).to.include.members([...rotations, ...signed[0], ...signed[1]]);
      for (const token of [issued.at(0), issued.at(-1)]) {
        expect((await clientAt(at, token)('GET', '/api/info/')).status).to.equal(200);
      }
    }
  });
});
