import { actorOf, addSeconds, authorOf, type User } from '@chapter/domain/api';
import { asNewUser, aUser, hashNamed, makeSettableClock, storeUser, type World } from '@chapter/domain/testing';
import { expect } from 'chai';
import { connectPostgres, type Database } from '../../src/index.ts';
import { useWorld } from '../support/use-world.ts';

const DAY_SECONDS = 24 * 60 * 60;
const HASH = hashNamed('one');
const LIFETIMES = { lifetime: 14 * DAY_SECONDS, sessionLifetime: 90 * DAY_SECONDS };

for (const days of [16, -16]) {
  describe(`An instance whose clock is ${Math.abs(days)} days ${days > 0 ? 'ahead' : 'behind'}`, () => {
    const world = useWorld();
    let instance: Database;
    let user: User;

    beforeEach(async () => {
      const { clock, ids, url } = world();
      const ownClock = makeSettableClock(clock.now());
      ownClock.advance(days * DAY_SECONDS);
      instance = connectPostgres({ url, clock: ownClock, ids });
      user = await storeUser(world(), aUser(), HASH);
    });
    afterEach(() => instance.close());

    const start = async ({ sessions }: Pick<World, 'sessions'>, digest: string) => {
      const id = world().ids.next();
      const session = { id, userId: user.id, digest, userAgent: null, ...LIFETIMES };
      return { id, times: await sessions.start(session, HASH) };
    };

    it('continues sessions of other instances', async () => {
      const { id } = await start(world(), 'first');
      expect(await instance.actors.find(user.id, id)).to.include({ id: user.id });
      const rotated = await instance.sessions.rotate({
        digest: 'first',
        family: 'first',
        nextDigest: 'second',
        ...LIFETIMES,
      });
      expect(rotated).to.include({ sessionId: id, expiresAt: addSeconds(world().clock.now(), LIFETIMES.lifetime) });
    });

    it('starts sessions that begin and end by the clock of the database', async () => {
      const { id, times } = await start(instance, 'first');
      const now = world().clock.now();
      expect(times).to.deep.equal({
        storedAt: now,
        expiresAt: addSeconds(now, LIFETIMES.lifetime),
        sessionEndsAt: addSeconds(now, LIFETIMES.sessionLifetime),
      });
      world().clock.advance(LIFETIMES.lifetime - 1);
      expect(await world().actors.find(user.id, id)).to.include({ id: user.id });
      world().clock.advance(1);
      expect(await world().actors.find(user.id, id)).to.equal(null);
    });

    it('shares idempotency keys with other instances for 24 hours', async () => {
      const author = authorOf(actorOf(user));
      const create = ({ users }: Pick<World, 'users'>, key: string) =>
        users.create(author, asNewUser(aUser().of(user.division)), () => {}, { key, request: '' });
      await create(world(), 'one');
      expect(await create(instance, 'one')).to.have.property('prior');
      await create(instance, 'two');
      world().clock.advance(DAY_SECONDS - 1);
      expect(await create(world(), 'two')).to.have.property('prior');
      world().clock.advance(1);
      expect(await create(world(), 'two')).to.have.property('user');
    });
  });
}
