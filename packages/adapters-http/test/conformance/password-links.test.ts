import type { User } from '@chapter/domain';
import { changeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf, type Sending } from '../support/send.ts';

const PATH = '/api/auth/passwords/';
const PASSWORD = 'a brand new secret';
const json = { 'content-type': 'application/json' };

/** From the last check to the first: each request passes all checks before its own, and fails its own and all later ones. */
const wrong: readonly (readonly [description: string, sending: Sending, status: number, code: string])[] = [
  ['an unknown token', { json: { token: 'x', password: 'password123' } }, 401, 'invalid_token'],
  ['a short password', { json: { token: 'x', password: 'short' } }, 422, 'validation_failed'],
  ['a malformed body', { raw: '{"password":', headers: json }, 400, 'malformed_json'],
  ['another media type', { raw: '{', headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
  ['a large body', { raw: `{"x":"${'x'.repeat(65_536)}`, headers: json }, 413, 'body_too_large'],
];

describe('A redemption of a password link', () => {
  const chapter = useServedChapter({ each: true });

  const redeem = (sending: Sending) => chapter.send('POST', PATH, sending);
  const tokenFor = async (issuer: User, target: User): Promise<string> => {
    const { body, status } = await chapter.send('POST', `/api/users/${target.id}/password-links/`, { as: issuer });
    expect(status).to.equal(201);
    return body.token;
  };

  it('is refused by its first fault: size, media type, syntax, shape and length, the token, the other rules', async () => {
    const { leader, user } = chapter;
    for (const [description, sending, status, code] of wrong) {
      const response = await redeem(sending);
      expect([response.status, response.body.code], description).to.deep.equal([status, code]);
    }
    const common = await redeem({ json: { token: await tokenFor(leader, user), password: 'password123' } });
    expect([common.status, faultsOf(common)]).to.deep.equal([422, ['password too_common']]);
  });

  /** Two of the losses that `password-link-losses.test.ts` of the domain enumerates. */
  const losses: Readonly<Record<string, (token: string, issuer: User) => unknown>> = {
    'is used': (token) => redeem({ json: { token, password: PASSWORD } }),
    'comes from a demoted Leader': (_, { id }) => changeUser(chapter.world, id, { groups: ['Guest'] }),
  };

  for (const [loss, apply] of Object.entries(losses)) {
    it(`gets the response to an unknown token if the token ${loss}, after the same calls`, async () => {
      const { admit, world } = chapter;
      const [issuer, target] = [await admit('issuer', ['Leader']), await admit('target', ['User'])];
      const token = await tokenFor(issuer, target);
      await apply(token, issuer);

      const calls: string[] = [];
      const find = world.passwordLinks.find.bind(world.passwordLinks);
      const write = world.passwordLinks.redeem.bind(world.passwordLinks);
      const begin = world.loginLimits.begin.bind(world.loginLimits);
      world.passwordLinks.find = (digest) => (calls.push('find'), find(digest));
      world.passwordLinks.redeem = (...input) => (calls.push('redeem'), write(...input));
      world.loginLimits.begin = (...input) => (calls.push('begin'), begin(...input));
      world.hasher.work.count = 0;
      const refused = async (sent: string) => {
        calls.length = 0;
        const { body, headers, rawHeaders, status } = await redeem({
          json: { token: sent, password: PASSWORD },
          headers: { 'x-request-id': 'same' },
        });
        const { date: _, ...known } = headers;
        return { status, body, known, names: rawHeaders.length, calls: [...calls], hashes: world.hasher.work.count };
      };
      const invalid = await refused(token);
      expect(invalid).to.deep.equal(await refused('x'.repeat(token.length)));
      expect(invalid).to.deep.include({ status: 401, calls: ['begin', 'find'], hashes: 0 });
    });
  }
});
