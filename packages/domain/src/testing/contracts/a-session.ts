import { later } from '../../session.ts';
import type { PasswordHash, User } from '../../user.ts';
import type { World } from '../world.ts';

/** Seconds for which a refresh token is worth something in these cases. */
export const LIFETIME = 14 * 24 * 60 * 60;

let digests = 0;
/** A digest like no other, of the shape of a SHA-256. */
export const aDigest = (): string => {
  digests += 1;
  return digests.toString(16).padStart(64, 'd');
};

/** Begins a session of the user, and says whether it did. */
export const aSession = async (world: World, { id: userId }: Pick<User, 'id'>, checked: PasswordHash) => {
  const [id, digest, startedAt] = [world.ids.next(), aDigest(), world.clock.now()];
  const session = { id, userId, digest, startedAt, expiresAt: later(startedAt, LIFETIME) };
  return { id, digest, started: await world.sessions.start(session, checked) };
};
