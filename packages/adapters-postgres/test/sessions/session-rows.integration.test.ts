import { decideRedemption, LIFETIME_SECONDS, OPERATOR, type SessionId, type User } from '@chapter/domain/ports';
import { aUser, changeUser, deleteUser, hashNamed, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useWorld } from '../support/use-world.ts';

const HASH = hashNamed('one');
const LIFETIMES = { lifetime: LIFETIME_SECONDS.refreshToken, sessionLifetime: LIFETIME_SECONDS.session };
/** More tokens than one statement deletes. */
const TOKENS = 2000;
const MAX_DELETED_TOKENS = 1000;
/** In all sessions together. */
const REFRESHES = 1000;
const SESSIONS = 50;

describe('The rows of a session', () => {
  const world = useWorld();
  let user: User;

  beforeEach(async () => {
    user = await storeUser(world(), aUser(), HASH);
  });

  /** Starts a session. The digest of its first token is its id, and so is that of its family. */
  const start = async (): Promise<SessionId> => {
    const id = world().ids.next();
    const session = { id, userId: user.id, digest: id, userAgent: null, ...LIFETIMES };
    await world().sessions.start(session, HASH);
    return id;
  };
  const rotate = (id: SessionId, digest: string, nextDigest: string) =>
    world().sessions.rotate({ digest, family: id, nextDigest, ...LIFETIMES });
  const countTokens = async (): Promise<number> =>
    (await world().sql.query<{ count: number }>('select count(*)::int as count from refresh_token')).rows[0]?.count ??
    0;
  /** Stores tokens as release 0.1.0 does, each consumed a minute before the next. */
  const storeConsumed = (id: SessionId, tokens: number) =>
    world().sql.query(
      `insert into refresh_token (digest, session_id, expires_at, spent_at)
        select $1::text || n, $1::uuid, $2::timestamptz + interval '14 days', $2::timestamptz - n * interval '1 minute'
          from generate_series(1, $3::int) n`,
      [id, world().clock.now(), tokens],
    );

  it('are two after 1,000 refreshes in all', async () => {
    const ids = await Promise.all(Array.from({ length: SESSIONS }, start));
    for (let time = 0; time < REFRESHES / SESSIONS; time++) {
      world().clock.advance(60);
      const digestOf = (id: SessionId, at: number): string => (at === 0 ? id : `${id} ${at}`);
      const rotated = await Promise.all(ids.map((id) => rotate(id, digestOf(id, time), digestOf(id, time + 1))));
      expect(rotated).to.not.include(null);
    }
    // Each session has its current token, and the one that the last refresh consumed.
    expect(await countTokens()).to.equal(2 * ids.length);
  });

  it('are reduced by the next refreshes after many in ten seconds', async () => {
    const id = await start();
    let digest: string = id;
    for (let time = 0; time < 50; time++) {
      const uses = [0, 1, 2, 3, 4, 5].map((use) => `${id} ${time} ${use}`);
      for (const next of uses) expect(await rotate(id, digest, next)).to.not.equal(null);
      digest = `${id} ${time} 0`;
    }
    expect(await countTokens()).to.equal(301);
    for (let time = 0; time < 4; time++) {
      world().clock.advance(11);
      await rotate(id, digest, `${id} ${time}`);
      digest = `${id} ${time}`;
    }
    expect(await countTokens()).to.be.below(10);
  });

  it('remain where release 0.1.0 consumed the token, whose reuse ends the session', async () => {
    const id = await start();
    await storeConsumed(id, 20);
    await rotate(id, id, 'next');
    world().clock.advance(60);
    await rotate(id, 'next', 'last');
    expect(await countTokens()).to.equal(22);
    const reused = { digest: `${id}7`, family: 'of the other release', nextDigest: 'never', ...LIFETIMES };
    expect(await world().sessions.rotate(reused)).to.equal(null);
    expect(await world().sessions.list(user.id)).to.deep.equal([]);
  });

  const redeemLink = async (): Promise<void> => {
    await world().passwordLinks.create(OPERATOR, { userId: user.id, digest: 'link', lifetime: 60 }, () => {});
    await world().passwordLinks.redeem('link', null, (link) => decideRedemption(link.user, hashNamed('two')));
  };

  const ends: readonly [string, (id: SessionId) => Promise<unknown>][] = [
    ['logout', (id) => world().sessions.end({ digest: id, family: id })],
    ['the reuse of a token', (id) => rotate(id, `${id}100`, 'never')],
    ['its user', (id) => world().sessions.endOne(id, user.id)],
    ['the operator', (id) => world().users.endSessions(OPERATOR, user.id, id)],
    ['the end of all sessions', () => world().users.endSessions(OPERATOR, user.id, null)],
    ['a new password', () => changeUser(world(), user.id, {}, { passwordHash: hashNamed('two') })],
    ['a redeemed password link', redeemLink],
    ['a deactivation', () => changeUser(world(), user.id, { isActive: false })],
    ['the deletion of the user', () => deleteUser(world(), user.id)],
    ['the erasure of the user', () => world().erasure.eraseUser(OPERATOR, user.id, () => {})],
  ];
  for (const [title, end] of ends) {
    it(`are deleted by ${title}, of ${TOKENS} tokens at most ${MAX_DELETED_TOKENS}`, async () => {
      const id = await start();
      await storeConsumed(id, TOKENS);
      await end(id);
      expect((await world().sql.query('select from session')).rowCount).to.equal(0);
      expect(await countTokens()).to.equal(1 + TOKENS - MAX_DELETED_TOKENS);
      expect(await rotate(id, id, 'never')).to.equal(null);
    });
  }
});
