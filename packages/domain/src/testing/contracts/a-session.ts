import { OPERATOR, type PasswordHash, type User } from '../../model/user.ts';
import type { NewSession, Rotation } from '../../ports/session-repository.ts';
import { aUser } from '../builders/builders.ts';
import { storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { hashNamed } from './contract-case.ts';

/** Seconds for which a refresh token is worth something in these cases. */
export const LIFETIME = 14 * 24 * 60 * 60;

/** Seconds after its start at which a session ends at the latest in these cases. */
export const SESSION_LIFETIME = 90 * 24 * 60 * 60;

/** The hash of the password of each visitor. */
export const one = hashNamed('one');

let digests = 0;
/** A digest like no other, of the shape of a SHA-256. */
export const aDigest = (): string => {
  digests += 1;
  return digests.toString(16).padStart(64, 'd');
};

/** Begins a session of the user, and says whether it did. */
export const aSession = async (
  world: World,
  { id: userId }: Pick<User, 'id'>,
  checked: PasswordHash,
  values: Partial<NewSession> = {},
) => {
  const [id, digest] = [world.ids.next(), aDigest()];
  const lifetimes = { lifetime: LIFETIME, sessionLifetime: SESSION_LIFETIME };
  const session = { id, userId, digest, userAgent: null, ...lifetimes, ...values };
  const times = await world.sessions.start(session, checked);
  return { id, digest, times, started: times !== null };
};

/** A stored user with a session. */
export const aVisitor = async (world: World) => {
  const user = await storeUser(world, aUser(), one);
  return { user, ...(await aSession(world, user, one)) };
};

/** Presents a refresh token, and says what it was exchanged for. */
export const rotate = async (world: World, digest: string, more: Partial<Rotation> = {}) => {
  const nextDigest = aDigest();
  const rotation = { digest, nextDigest, lifetime: LIFETIME, sessionLifetime: SESSION_LIFETIME, ...more };
  return { nextDigest, rotated: await world.sessions.rotate(rotation) };
};

/** Whether access tokens of the session are accepted. */
export const lives = async ({ actors }: World, user: User, sessionId: string): Promise<boolean> =>
  (await actors.find(user.id, sessionId)) !== null;

/** Changes a user as the operator does. */
export const change = (world: World, { id }: User, values: Partial<User>, endsSessions = false): Promise<User> =>
  world.users.update(OPERATOR, id, ({ user }) => ({ user: { ...user, ...values }, endsSessions }));
