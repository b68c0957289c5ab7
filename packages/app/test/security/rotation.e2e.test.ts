import { expect } from 'chai';
import { clientOf } from '../../../../test-support/client.ts';
import { useTwoServices } from '../../../../test-support/two-services.ts';
import { rotateKeyFile } from '../../src/tokens/rotate-key-file.ts';

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('A rotation of the keys under load', function () {
  this.timeout(30_000);
  const world = useTwoServices();

  it('logs nobody out, at either of two services, however old their token', async () => {
    const { logIn, nobody, services, keysFile } = world();
    const sessions = await Promise.all(['leader', 'guest', 'user'].map((name) => logIn(name)));
    const refusals: unknown[] = [];
    const signed = new Set<string>();
    const issued: string[] = [];
    let served = 0;
    const over = new AbortController();

    const use = async ({ accessToken, refreshToken }: (typeof sessions)[number]): Promise<void> => {
      let [access, refresh] = [accessToken, refreshToken];
      for (let turn = 0; !over.signal.aborted; turn++) {
        const [one, other] = turn % 2 === 0 ? services : services.toReversed();
        const issuer = nobody[turn % 2 === 0 ? 0 : 1];
        // What one has just signed, with whichever key, the other takes at once.
        for (const token of [access, accessToken]) {
          const { status, body } = await clientOf(other?.url ?? one?.url ?? '', token)('GET', '/api/info/');
          if (status !== 200) refusals.push({ turn, status, body });
          served += 1;
        }
        const { status, body } = await issuer('POST', '/api/auth/tokens/', { refresh_token: refresh });
        if (status !== 200) refusals.push({ turn, status, body });
        else [access, refresh] = [body.access_token, body.refresh_token];
        signed.add(kidOf(access));
        issued.push(access);
      }
    };

    const using = Promise.all(sessions.map(use));
    const rotations: string[] = [];
    for (let time = 0; time < 3; time++) {
      await pause(400);
      rotations.push(rotateKeyFile(keysFile, time === 1 ? 'ES256' : undefined).signs);
    }
    // A service looks at the file again after a second.
    await pause(1500);
    over.abort();
    await using;

    expect(refusals).to.deep.equal([]);
    expect(served).to.be.greaterThan(20);
    expect([...signed]).to.include(rotations.at(-1));
    for (const caller of nobody) {
      const { keys } = (await caller('GET', '/api/auth/keys/')).body;
      expect(keys.map(({ kid }: { kid: string }) => kid)).to.include.members([...rotations, ...signed]);
    }
    for (const token of [issued.at(0), issued.at(-1)]) {
      for (const { url } of services) {
        expect((await clientOf(url, token)('GET', '/api/info/')).status).to.equal(200);
      }
    }
  });
});
