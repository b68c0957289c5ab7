import { OPERATOR, type User } from '../../model/user.ts';
import { aLeader, aUser } from '../builders/builders.ts';
import { asNewUser, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { aDigest, aSession, visitorHash } from './a-session.ts';
import { allow, by } from './fixtures.ts';

/** Erases a user as the operator. */
export const erase = (world: World, { id }: Pick<User, 'id'>) => world.erasure.eraseUser(OPERATOR, id, allow);

/**
 * Stores a Leader, and a user of the division with a session and a password link. The Leader creates the user with an
 * idempotency key.
 */
export const aMember = async (world: World, key = 'key-1', username = 'eve') => {
  const lead = await storeUser(world, aLeader(), visitorHash);
  const eve = aUser().of(lead.division).with({ username, email: 'eve@example.org', firstName: 'Eve' });
  const create = (user: User) =>
    world.users.create(by(lead, 'request-1'), asNewUser(user, visitorHash), allow, { key, request: 'the request' });
  await create(eve);
  const { id } = await aSession(world, eve, visitorHash);
  const digest = aDigest();
  await world.passwordLinks.create(by(lead), { userId: eve.id, digest, lifetime: 3600 }, allow);
  return { lead, eve, create, session: id, link: digest };
};
