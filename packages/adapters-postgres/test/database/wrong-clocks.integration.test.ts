import { actorOf, addSeconds, authorOf, type User } from '@chapter/domain/api';
import {
  aSession,
  asNewUser,
  aUser,
  LIFETIME,
  makeSettableClock,
  rotate,
  SESSION_LIFETIME,
  storeUser,
  visitorHash,
  type World,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Database } from '../../src/index.ts';
import { useWorld } from '../support/use-world.ts';

const DAY_SECONDS = 24 * 60 * 60;

describe('An instance with a wrong clock', () => {
  const world = useWorld();
  let instance: Database;
  let user: User;
  for (const days of [16, -16]) {
    describe(`that is ${Math.abs(days)} days ${days > 0 ? 'ahead' : 'behind'}`, () => {
      beforeEach(async () => {
        const clock = makeSettableClock(world().clock.now());
        clock.advance(days * DAY_SECONDS);
        instance = world().connect({ clock });
        user = await storeUser(world(), aUser(), visitorHash);
      });

      it('continues sessions of other instances', async () => {
        const { digest, id } = await aSession(world(), user, visitorHash);
        expect(await instance.actors.find(user.id, id)).to.include({ id: user.id });
        const { rotated } = await rotate(instance, digest);
        expect(rotated).to.include({ sessionId: id, expiresAt: addSeconds(world().clock.now(), LIFETIME) });
      });

      it('starts sessions that begin and end by the clock of the database', async () => {
        const { id, times } = await aSession({ ...instance, ids: world().ids }, user, visitorHash);
        const now = world().clock.now();
        expect(times).to.deep.equal({
          storedAt: now,
          expiresAt: addSeconds(now, LIFETIME),
          sessionEndsAt: addSeconds(now, SESSION_LIFETIME),
        });
        world().clock.advance(LIFETIME - 1);
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
});
