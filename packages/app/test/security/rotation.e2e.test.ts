import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { clientOf } from '../../../../test-support/client.ts';
import { useTwoServices } from '../../../../test-support/two-services.ts';
import { call } from '../cli/call.ts';

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

/** Rotates the keys outside the services' processes and returns the id of the new signing key. */
const rotate = async (file: string, ...more: readonly string[]): Promise<string> => {
  const { err, out, status } = await call(['keys', 'rotate', '--json', '--file', file, ...more]);
  expect(status, err).to.equal(0);
  return (JSON.parse(out) as { signs: string }).signs;
};

describe('A rotation of the keys under load', () => {
  const world = useTwoServices();

  it('keeps all users logged in to both services, even with old tokens', async () => {
    const { logIn, anonymous, services, keysFile, sql } = world();
    const sessions = await Promise.all(['leader', 'guest', 'user'].map((name) => logIn(name)));
    const refusals: unknown[] = [];
    /** The keys with which each service has signed tokens. */
    const signed = [new Set<string>(), new Set<string>()] as const;
    const issued: string[] = [];
    const turns = new EventEmitter();
    const over = new AbortController();

    const use = async ({ accessToken, refreshToken }: (typeof sessions)[number]): Promise<void> => {
      let [access, refresh] = [accessToken, refreshToken];
      for (let turn = 0; !over.signal.aborted; turn++) {
        const [issuer, other] = turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
        // Each service accepts tokens that the other has just signed, with any of the keys.
        for (const token of [access, accessToken]) {
          const { status, body } = await clientOf(services[other].url, token)('GET', '/api/info/');
          if (status !== 200) refusals.push({ turn, status, body });
        }
        const { status, body } = await anonymous[issuer]('POST', '/api/auth/tokens/', { refresh_token: refresh });
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
        await sql.query('update session set refreshes = 0');
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
    for (const caller of anonymous) {
      const { keys } = (await caller('GET', '/api/auth/keys/')).body;
      const kids = keys.map(({ kid }: { kid: string }) => kid);
      expect(kids).to.include.members([...rotations, ...signed[0], ...signed[1]]);
    }
    for (const token of [issued.at(0), issued.at(-1)]) {
      for (const { url } of services) {
        expect((await clientOf(url, token)('GET', '/api/info/')).status).to.equal(200);
      }
    }
  });
});
