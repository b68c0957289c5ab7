import type { User } from '@chapter/domain';
import { changeUser, deleteUser, moveUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { passwordLinksOf } from './password-link-requests.ts';
import { useChapter } from './setup.ts';

const UNKNOWN = 'the token is unknown';

describe('Password links', () => {
  const chapter = useChapter();
  const { issue, refused, set, passwordOf, failuresLeft } = passwordLinksOf(() => chapter);

  const losses: Readonly<Record<string, (issuer: User, target: User) => unknown>> = {
    'the issuer is demoted': (issuer) => set(issuer, { groups: ['Guest'] }),
    'the issuer is deactivated': (issuer) => set(issuer, { isActive: false }),
    'the issuer is deleted': (issuer) => deleteUser(chapter.world, issuer.id),
    'the issuer is moved': (issuer) => moveUser(chapter.world, issuer.id, chapter.south.id),
    'the user is moved': (_, target) => moveUser(chapter.world, target.id, chapter.south.id),
    'the user becomes an Administrator': (_, target) => set(target, { isStaff: true }),
    'the user is deactivated': (_, target) => set(target, { isActive: false }),
    'the user is deleted': (_, target) => deleteUser(chapter.world, target.id),
    'the link expires': () => chapter.world.clock.advance(72 * 3600),
    'the link is used': (_, target) =>
      changeUser(chapter.world, target.id, {}, { passwordHash: 'hashed:9:set meanwhile' }),
    [UNKNOWN]: () => {},
  };
  for (const [loss, apply] of Object.entries(losses)) {
    it(`are refused with invalid_token when ${loss}: one look-up, no hash, one failure of the network`, async () => {
      const { lead, user, world } = chapter;
      const { token } = await issue(lead, user);
      await apply(lead, user);
      let lookUps = 0;
      const find = world.passwordLinks.find.bind(world.passwordLinks);
      world.passwordLinks.find = (digest) => {
        lookUps += 1;
        return find(digest);
      };
      world.passwordLinks.redeem = () => expect.fail('the refusal needs no transaction');
      world.hasher.work.count = 0;
      const { message } = await refused('invalid_token', loss === UNKNOWN ? `${token}x` : token);
      expect(message).to.equal('the password link is unknown, used, void or expired; ask for a new one');
      expect(message).to.equal((await refused('invalid_token', 'no token')).message);
      expect([lookUps, world.hasher.work.count, await failuresLeft()]).to.deep.equal([2, 0, 98]);
    });

    // No change makes a token unknown while its request is served.
    if (loss === UNKNOWN) continue;
    it(`are refused in the transaction when ${loss} while the password is hashed`, async () => {
      const { lead, user, world } = chapter;
      const { token } = await issue(lead, user);
      const before = await passwordOf(user);
      const hash = world.hasher.hash.bind(world.hasher);
      world.hasher.hash = async (...call) => {
        await apply(lead, user);
        return hash(...call);
      };
      const { message } = await refused('invalid_token', token);
      expect(message).to.equal((await refused('invalid_token', 'no token')).message);
      if (!/deleted|used/.test(loss)) expect(await passwordOf(user)).to.equal(before);
    });
  }
});
