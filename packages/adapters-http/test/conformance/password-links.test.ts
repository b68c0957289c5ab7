import type { User } from '@chapter/domain';
import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf, type Sending } from '../support/send.ts';

const PATH = '/api/auth/passwords/';
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
});
