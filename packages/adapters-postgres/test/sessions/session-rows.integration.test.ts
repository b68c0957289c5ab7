import { decideRedemption, OPERATOR, SESSION_RULES, type SessionId, type User } from '@chapter/domain/ports';
import {
  aSession,
  aToken,
  aUser,
  aVisitor,
  changeUser,
  deleteUser,
  hashNamed,
  rotate,
  storeToken,
  storeUser,
  visitorHash,
  withFamily,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { rowsOf } from '../support/bulk-rows.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

/** More tokens than one statement deletes. */
const TOKENS = 2000;
const MAX_DELETED_TOKENS = 1000;
/** In all sessions together. */
const REFRESHES = 1000;
const SESSIONS = 50;

describe('The rows of a session', () => {
  const { world, blockers } = useBlockedWorld();
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
    const user = await storeUser(world(), aUser(), visitorHash);
    const started = Array.from({ length: SESSIONS }, () => aSession(world(), user, visitorHash));
    let digests = (await Promise.all(started)).map(({ digest }) => digest);
    for (let time = 0; time < REFRESHES / SESSIONS; time++) {
      world().clock.advance(60);
      const refreshes = await Promise.all(digests.map((digest) => rotate(world(), digest)));
      expect(refreshes.map(({ rotated }) => rotated)).to.not.include(null);
      digests = refreshes.map(({ nextDigest }) => nextDigest);
    }
    // Each session has its current token, and the one that the last refresh consumed.
    expect(await countTokens()).to.equal(2 * SESSIONS);
  });

  it('are reduced by the next refreshes after many in ten seconds', async () => {
    let { digest } = await aVisitor(world());
    for (let time = 0; time < 50; time++) {
      for (let use = 0; use < 5; use++) expect(await rotate(world(), digest)).to.not.include({ rotated: null });
      digest = (await rotate(world(), digest)).nextDigest;
    }
    expect(await countTokens()).to.equal(301);
    for (let time = 0; time < 4; time++) {
      world().clock.advance(11);
      digest = (await rotate(world(), digest)).nextDigest;
    }
    expect(await countTokens()).to.be.below(10);
  });

  it('remain where release 0.1.0 consumed the token, whose reuse ends the session', async () => {
    const { digest, id, user } = await aVisitor(world());
    await storeConsumed(id, 20);
    const { nextDigest } = await rotate(world(), digest);
    world().clock.advance(60);
    await rotate(world(), nextDigest);
    expect(await countTokens()).to.equal(22);
    expect(await rotate(world(), `${id}7`)).to.include({ rotated: null });
    expect(await world().sessions.list(user.id)).to.deep.equal([]);
  });

  const deactivateByImport = (user: User) =>
    world().database.loadInBulk(OPERATOR, async (load) => {
      await load.stageUsers(rowsOf({ id: user.id, isActive: false }));
      await load.match('users', new Set(['id', 'is_active']));
      return (await load.plan()).store(() => {});
    });

  const lockers: readonly [string, (user: User) => Promise<unknown>][] = [
    ['the end of all sessions', (user) => world().users.endSessions(OPERATOR, user.id, null)],
    ['a new personal access token', (user) => storeToken(world(), aToken(world(), user, { digest: 'digest' }))],
    ['an import that deactivates the user', deactivateByImport],
  ];
  for (const [title, lock] of lockers) {
    it(`are locked in one order, so that a login and ${title} cause no deadlock`, async () => {
      const user = await storeUser(world(), aUser(), visitorHash);
      // The first row is the last one by id.
      await world().sql.query(
        `insert into session (id, user_id, started_at, expires_at)
          select lpad(to_hex($3 - n), 32, '0')::uuid, $1, $2::timestamptz, $2::timestamptz + interval '1 day'
            from generate_series(1, $3::int) n`,
        [user.id, world().clock.now(), SESSION_RULES.maxPerUser + 1],
      );
      world().clock.advance(60);
      const blocker = await blockers.begin();
      await blocker.run('select from session order by id limit 1 for update');
      const login = aSession(world(), user, visitorHash);
      await blockers.untilWaiting(1, login);
      const locked = lock(user);
      await blockers.untilWaiting(2, locked);
      await blocker.commit();
      await Promise.all([login, locked]);
      // A transaction that the database ended because of a deadlock would have been repeated.
      expect(world().database.incidents().repeated).to.equal(0);
    });
  }

  const redeemLink = async (user: User): Promise<void> => {
    await world().passwordLinks.create(OPERATOR, { userId: user.id, digest: 'link', lifetime: 60 }, () => {});
    await world().passwordLinks.redeem('link', null, (link) => decideRedemption(link.user, hashNamed('two')));
  };

  const ends: readonly [string, (user: User, id: SessionId, digest: string) => Promise<unknown>][] = [
    ['logout', (_, __, digest) => world().sessions.end(withFamily(digest))],
    ['the reuse of a token', (_, id) => rotate(world(), `${id}100`)],
    ['its user', (user, id) => world().sessions.endOne(id, user.id)],
    ['the operator', (user, id) => world().users.endSessions(OPERATOR, user.id, id)],
    ['the end of all sessions', (user) => world().users.endSessions(OPERATOR, user.id, null)],
    ['a new password', (user) => changeUser(world(), user.id, {}, { passwordHash: hashNamed('two') })],
    ['a redeemed password link', redeemLink],
    ['a deactivation', (user) => changeUser(world(), user.id, { isActive: false })],
    ['the deletion of the user', (user) => deleteUser(world(), user.id)],
    ['the erasure of the user', (user) => world().erasure.eraseUser(OPERATOR, user.id, () => {})],
  ];
  for (const [title, end] of ends) {
    it(`are deleted by ${title}, of ${TOKENS} tokens at most ${MAX_DELETED_TOKENS}`, async () => {
      const { digest, id, user } = await aVisitor(world());
      await storeConsumed(id, TOKENS);
      await end(user, id, digest);
      expect((await world().sql.query('select from session')).rowCount).to.equal(0);
      expect(await countTokens()).to.equal(1 + TOKENS - MAX_DELETED_TOKENS);
      expect(await rotate(world(), digest)).to.include({ rotated: null });
    });
  }
});
