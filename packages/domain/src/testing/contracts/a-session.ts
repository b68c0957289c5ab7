import { LIFETIME_SECONDS } from '../../model/lifetimes.ts';
import { OPERATOR, type PasswordHash, type User } from '../../model/user.ts';
import type { NewSession, Rotation } from '../../ports/session-repository.ts';
import type { TokenDigests } from '../../ports/tokens.ts';
import type { UserWrite } from '../../writes/user-writes.ts';
import { aUser } from '../builders/builders.ts';
import { decideChange, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { hashNamed } from './contract-case.ts';

/** Lifetime of refresh tokens in these cases, in seconds. */
export const LIFETIME = LIFETIME_SECONDS.refreshToken;

/** Maximum age of a session in these cases, in seconds. */
export const SESSION_LIFETIME = LIFETIME_SECONDS.session;
const LIFETIMES = { lifetime: LIFETIME, sessionLifetime: SESSION_LIFETIME };

/** Password hash of the users that {@link aVisitor} and `aMember` store. */
export const visitorHash = hashNamed('one');

let digests = 0;
/**
 * Returns a unique string in the format of a SHA-256 digest in hexadecimal, for a token of the same family as that of
 * another digest or of a new family. Its first half says which.
 */
export const aDigest = (relative?: string): string => {
  digests += 1;
  const own = digests.toString(16).padStart(32, 'd');
  return (relative?.slice(0, 32) ?? own) + own;
};

/** Returns the digests by which a session stores a token. */
export const withFamily = (digest: string): TokenDigests => ({ digest, family: digest.slice(0, 32).padEnd(64, 'f') });

/** Starts a session of the user; `started` is false if the repository refused. */
export const aSession = async (
  world: Pick<World, 'ids' | 'sessions'>,
  { id: userId }: Pick<User, 'id'>,
  checked: PasswordHash,
  values: Partial<NewSession> = {},
) => {
  const [id, digest] = [world.ids.next(), aDigest()];
  const session = { id, userId, digest, userAgent: null, ...LIFETIMES, ...values };
  const times = await world.sessions.start(session, checked);
  return { id, digest, times, started: times !== null };
};

/** Stores a user with the given values and starts a session. */
export const aVisitor = async (world: World, values: Partial<User> = {}) => {
  const user = await storeUser(world, aUser().with(values), visitorHash);
  return { user, ...(await aSession(world, user, visitorHash)) };
};

/** Exchanges a refresh token; `rotated` is null if the repository refused. */
export const rotate = async (world: Pick<World, 'sessions'>, digest: string, more: Partial<Rotation> = {}) => {
  const nextDigest = aDigest(digest);
  const rotation = { ...withFamily(digest), nextDigest, ...LIFETIMES, ...more };
  return { nextDigest, rotated: await world.sessions.rotate(rotation) };
};

/** Whether access tokens of the session are accepted. */
export const isAlive = async ({ actors }: World, user: User, sessionId: string): Promise<boolean> =>
  (await actors.find(user.id, sessionId)) !== null;

/** Deactivates a user without ending their sessions, or with other effects, which no write of the domain does. */
export const deactivateOnly = (
  { users }: World,
  { id }: User,
  effects: Partial<UserWrite> = { endsSessions: false },
): Promise<User> =>
  users.write(OPERATOR, { id }, (locked) => {
    const write = decideChange(locked, { values: { isActive: false }, force: true });
    return write === 'unchanged' ? write : { ...write, ...effects };
  });
