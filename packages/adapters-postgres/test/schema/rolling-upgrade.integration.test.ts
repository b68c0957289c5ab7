import {
  decideDivisionDeletion,
  decideRedemption,
  OPERATOR,
  SESSION_RULES,
  type SessionId,
  type User,
} from '@chapter/domain/ports';
import {
  aDivision,
  aLeader,
  aSession,
  aUser,
  hashNamed,
  LIFETIME,
  rotate,
  storeDivision,
  storeUser,
  visitorHash,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { by, change } from '../support/changes.ts';
import { CHANGED, makeFollowers, OLD_HASH } from '../support/followers.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

// The locks of release 0.1.0, which locks only rows.
const OLD_LOCK =
  'select u.groups from user_account u join division d on d.id = u.division_id where u.id = $1::uuid for';
const LOCK_AUTHOR = `${OLD_LOCK} share of u`;
const LOCK_TARGET = `${OLD_LOCK} no key update of u`;
const CHANGE = `update user_account set version = version + 1, groups = $2, password_hash = $3 where id = $1`;

describe('During a rolling upgrade from release 0.1.0,', () => {
  const { world, blockers } = useBlockedWorld();

  describe('locks', () => {
    let ada: User;
    let eve: User;
    let member: User;

    beforeEach(async () => {
      ada = await storeUser(world(), aLeader(), OLD_HASH);
      eve = await storeUser(world(), aLeader().of(ada.division));
      member = await storeUser(world(), aUser().of(ada.division));
    });

    it('let a demotion here wait for a write of the old instance', async () => {
      const old = await blockers.begin();
      await old.run(LOCK_AUTHOR, ada.id);
      const demoted = change(world(), by(eve), ada, { groups: ['User'] });
      await blockers.untilWaiting(1, demoted);
      await old.commit();
      expect((await demoted).groups).to.deep.equal(['User']);
    });

    for (const { expected = CHANGED.groups, run, title } of makeFollowers(world)) {
      it(`let ${title} wait for a change by the old instance, and see the change`, async () => {
        const old = await blockers.begin();
        await old.run(LOCK_TARGET, ada.id);
        await old.run(CHANGE, ada.id, CHANGED.groups, CHANGED.hash);
        const following = run({ ada, member });
        await blockers.untilWaiting(1, following);
        await old.commit();
        expect(await following).to.deep.equal(expected);
      });
    }

    it('let a demotion by the old instance wait for a write here', async () => {
      const [holder, old] = [await blockers.begin(), await blockers.begin()];
      await holder.run(LOCK_TARGET, member.id);
      const changed = change(world(), by(ada), member, { firstName: 'Changed' });
      await blockers.untilWaiting(1, changed);
      const locked = old.run(LOCK_TARGET, ada.id);
      await blockers.untilWaiting(2, locked);
      await holder.commit();
      await locked;
      expect((await world().users.find(member.id))?.firstName).to.equal('Changed');
      await changed;
      await old.commit();
    });

    it('let a write by the old instance wait for a demotion here, and see the demotion', async () => {
      const [holder, old] = [await blockers.begin(), await blockers.begin()];
      await holder.run('select from division where id = $1 for no key update', ada.division.id);
      const demoted = change(world(), OPERATOR, ada, { groups: ['User'] });
      await blockers.untilWaiting(1, demoted);
      const locked = old.run(LOCK_AUTHOR, ada.id);
      await blockers.untilWaiting(2, locked);
      await holder.commit();
      await demoted;
      expect(await locked).to.deep.equal([['{User}']]);
      await old.commit();
    });
  });

  describe('divisions', () => {
    it('are not deleted while the old instance creates a user in them', async () => {
      const { divisions } = world();
      const north = await storeDivision(world(), aDivision());
      const old = await blockers.begin();
      // Its creations lock only the row.
      await old.run('select name from division where id = $1 for key share', north.id);
      const deletion = divisions.delete(OPERATOR, north.id, (locked) => decideDivisionDeletion(OPERATOR, locked));
      await blockers.untilWaiting(1, deletion);
      await old.run(
        `insert into user_account (id, username, username_key, first_name, first_name_key, last_name, last_name_key,
          division_id, groups, is_active, is_staff, is_superuser, date_joined, version)
        values (gen_random_uuid(), 'ada', 'ada', '', '', '', '', $1, '{User}', true, false, false, now(), 1)`,
        north.id,
      );
      await old.commit();
      expect(await deletion.catch((error: unknown) => error)).to.have.property('code', 'forbidden');
      expect(await divisions.find(north.id)).to.deep.equal(north);
    });
  });

  describe('sessions', () => {
    const MINUTE_SECONDS = 60;
    let user: User;

    beforeEach(async () => {
      user = await storeUser(world(), aUser(), visitorHash);
    });

    /** Starts a session as release 0.1.0 does. The digest of its refresh token is the id of the session. */
    const startOld = async (): Promise<SessionId> => {
      const { clock, ids, sql } = world();
      const id = ids.next();
      const expiresAt = new Date(Date.parse(clock.now()) + LIFETIME * 1000).toISOString();
      const session = [id, user.id, clock.now(), expiresAt];
      await sql.query('insert into session (id, user_id, started_at, expires_at) values ($1, $2, $3, $4)', session);
      const token = 'insert into refresh_token (digest, session_id, expires_at) values ($1::uuid::text, $1, $2)';
      await sql.query(token, [id, expiresAt]);
      return id;
    };
    const startNew = async (): Promise<SessionId> => (await aSession(world(), user, visitorHash)).id;
    const listed = async (): Promise<readonly SessionId[]> =>
      (await world().sessions.list(user.id)).map(({ id }) => id);

    it('of the old instance list their start as the last refresh, until this version refreshes them', async () => {
      const { clock, sessions } = world();
      const id = await startOld();
      const createdAt = clock.now();
      const expiryNow = (): string => new Date(Date.parse(clock.now()) + LIFETIME * 1000).toISOString();
      const start = { id, createdAt, refreshedAt: createdAt, expiresAt: expiryNow(), userAgent: null };
      clock.advance(MINUTE_SECONDS);
      expect(await sessions.list(user.id)).to.deep.equal([start]);
      expect((await rotate(world(), id)).rotated).to.include({ sessionId: id });
      const refreshed = { refreshedAt: clock.now(), expiresAt: expiryNow() };
      expect(await sessions.list(user.id)).to.deep.equal([{ ...start, ...refreshed }]);
    });

    it('of both instances share the limit, and the next login here ends the excess of the old one', async () => {
      const { clock } = world();
      const first = await startNew();
      clock.advance(MINUTE_SECONDS);
      const second = await startOld();
      clock.advance(MINUTE_SECONDS);
      for (let sessions = 2; sessions < SESSION_RULES.maxPerUser + 5; sessions++) await startOld();
      expect(await listed()).to.have.length(SESSION_RULES.maxPerUser + 5);
      clock.advance(MINUTE_SECONDS);
      const latest = await startNew();
      const active = await listed();
      expect(active).to.have.length(SESSION_RULES.maxPerUser);
      expect(active[0]).to.equal(latest);
      expect(active).not.to.include.oneOf([first, second]);
    });
  });

  describe('password links', () => {
    for (const [title, change] of [
      ['a password', `password_hash = '${hashNamed('two')}'`],
      ['a flag', 'is_staff = true'],
      ['another flag', 'is_superuser = true'],
    ] as const) {
      it(`are void after its instance has changed ${title}, and can be replaced`, async () => {
        const { passwordLinks, sql } = world();
        const user = await storeUser(world(), aUser(), hashNamed('one'));
        await passwordLinks.create(OPERATOR, { userId: user.id, digest: 'digest', lifetime: 60 }, () => {});
        expect((await passwordLinks.find('digest'))?.user.id).to.equal(user.id);
        await sql.query(`update user_account set version = version + 1, ${change} where id = $1`, [user.id]);
        expect(await passwordLinks.find('digest')).to.equal(null);
        await world().credentials.renew(user.id, hashNamed('two'), hashNamed('renewed'));
        const redeemed = passwordLinks.redeem('digest', null, () => decideRedemption(user, hashNamed('three')));
        expect(await redeemed.catch((error: unknown) => error)).to.have.property('code', 'invalid_token');
        await passwordLinks.create(OPERATOR, { userId: user.id, digest: 'new digest', lifetime: 60 }, () => {});
        expect((await passwordLinks.find('new digest'))?.user.id).to.equal(user.id);
      });
    }

    it('are void after a move by SQL, and can be replaced', async () => {
      const { passwordLinks, sql } = world();
      const [user, other] = [await storeUser(world(), aUser()), await storeUser(world(), aUser())];
      await passwordLinks.create(OPERATOR, { userId: user.id, digest: 'digest', lifetime: 60 }, () => {});
      await sql.query('update user_account set division_id = $2 where id = $1', [user.id, other.division.id]);
      expect(await passwordLinks.find('digest')).to.equal(null);
      await passwordLinks.create(OPERATOR, { userId: user.id, digest: 'new digest', lifetime: 60 }, () => {});
      expect((await passwordLinks.find('new digest'))?.user.id).to.equal(user.id);
    });

    it('are deleted with a user that its instance deletes', async () => {
      const { passwordLinks, sql } = world();
      const user = await storeUser(world(), aUser());
      await passwordLinks.create(OPERATOR, { userId: user.id, digest: 'digest', lifetime: 60 }, () => {});
      await sql.query('delete from user_account where id = $1', [user.id]);
      expect((await sql.query('select * from password_link')).rows).to.deep.equal([]);
    });
  });
});
