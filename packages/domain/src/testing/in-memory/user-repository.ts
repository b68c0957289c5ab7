import { CHANGEABLE_USER_FIELDS, isSameUser, userDifferences } from '../../fields/user-checks.ts';
import { divisionUserListFields, userListFields } from '../../lists/list-fields.ts';
import { endedSessions, movedDivision } from '../../model/audit-entry.ts';
import { notFound, taken } from '../../model/errors.ts';
import { LIFETIME_SECONDS } from '../../model/lifetimes.ts';
import { pick } from '../../model/pick.ts';
import { foldCase } from '../../model/text.ts';
import {
  type Author,
  isActiveLeader,
  type NewUser,
  type User,
  type UserId,
  voidsPasswordLink,
} from '../../model/user.ts';
import type { IdempotentCreation, PriorCreation } from '../../ports/idempotent-creation.ts';
import type { LockedUser } from '../../ports/user-change.ts';
import type { UserRepository } from '../../ports/user-repository.ts';
import { pageOf } from './page-of.ts';
import { activeSessionsOf } from './session-repository.ts';
import { endSessionsOf, membersOf, type Store, type StoredUser, storedActor, userOf, writeEntry } from './store.ts';

const KEY_LIFETIME_MS = LIFETIME_SECONDS.idempotencyKey * 1000;

/** Returns an in-memory user repository. */
export const makeInMemoryUsers = (store: Store): UserRepository => ({
  find: async (id) => {
    const user = store.users.get(id);
    return user ? userOf(store, user) : null;
  },

  list: async (divisionId, query) => pageOf(userListFields, membersOf(store, divisionId), query),

  listReferences: async (divisionId, query) => {
    const members = membersOf(store, divisionId).map((user) => pick(user, ['id', 'username']));
    return pageOf(divisionUserListFields, members, query);
  },

  create: (author, user, permit, idempotency) =>
    store.exclusive(() => {
      permit(storedActor(store, author.userId));
      const prior = idempotency && findPrior(store, author, idempotency);
      if (prior) return { prior };
      const created = insert(store, author, user);
      if (idempotency) storeCreation(store, author, idempotency, { user: created, passwordHash: user.passwordHash });
      return { user: created };
    }),

  update: (author, id, change) =>
    store.exclusive(() => {
      const { stored, locked } = lock(store, author, id);
      const { user, passwordHash = stored.passwordHash, endsSessions } = change(locked);
      const next = { ...stored, ...pick(user, CHANGEABLE_USER_FIELDS), passwordHash };
      refuseTakenNames(store, next);
      const passwordChanged = passwordHash !== stored.passwordHash;
      const changes = userDifferences(locked.user, userOf(store, next), { passwordChanged });
      if (endsSessions) endSessionsOf(store, id);
      if (!passwordChanged && isSameUser(locked.user, userOf(store, next))) return locked.user;
      store.users.set(id, { ...next, version: stored.version + 1 });
      if (voidsPasswordLink(locked.user, userOf(store, next), passwordChanged)) store.passwordLinks.delete(id);
      writeEntry(store, author, 'updateUser', { type: 'user', id, divisionId: stored.divisionId }, changes);
      return userOf(store, { ...next, version: stored.version + 1 });
    }),

  move: (author, id, divisionId, change) =>
    store.exclusive(() => {
      const { stored, locked } = lock(store, author, id);
      const to = store.divisions.get(divisionId);
      if (!to) throw notFound();
      const division = { id: to.id, name: to.name };
      const changed = pick(change(locked, division), CHANGEABLE_USER_FIELDS);
      const next = { ...stored, ...changed, divisionId, version: stored.version + 1 };
      refuseTakenNames(store, next);
      store.users.set(id, next);
      store.passwordLinks.delete(id);
      const moved = userOf(store, next);
      const changes = { ...userDifferences(locked.user, moved), ...movedDivision(locked.user.division, division) };
      writeEntry(store, author, 'moveUser', { type: 'user', id, divisionId }, changes);
      return moved;
    }),

  endSessions: (author, id, sessionId) =>
    store.exclusive(() => {
      const { stored } = lock(store, author, id);
      const ended = activeSessionsOf(store, id).filter((session) => session.id === (sessionId ?? session.id));
      if (ended.length === 0) return 0;
      for (const session of ended) store.sessions.delete(session.id);
      const changes = endedSessions(sessionId, ended.length);
      writeEntry(store, author, 'endSessions', { type: 'user', id, divisionId: stored.divisionId }, changes);
      return ended.length;
    }),

  delete: (author, id, permit) =>
    store.exclusive(() => {
      const { stored, locked } = lock(store, author, id);
      permit(locked);
      store.users.delete(id);
      store.passwordLinks.delete(id);
      store.activity.delete(id);
      endSessionsOf(store, id);
      const changes = userDifferences(locked.user, null);
      writeEntry(store, author, 'deleteUser', { type: 'user', id, divisionId: stored.divisionId }, changes);
    }),
});

const insert = (store: Store, author: Author, user: NewUser): User => {
  if (!store.divisions.has(user.divisionId)) throw notFound();
  refuseTakenNames(store, user);
  const stored = { ...user, version: 1 };
  store.users.set(user.id, stored);
  const created = userOf(store, stored);
  const changes = userDifferences(null, created, { passwordChanged: user.passwordHash !== null });
  writeEntry(store, author, 'createUser', { type: 'user', id: user.id, divisionId: user.divisionId }, changes);
  return created;
};

/** Returns a stored user, and the locked state that ports pass to their callbacks. */
export const lock = (store: Store, author: Author, id: UserId): { stored: StoredUser; locked: LockedUser } => {
  const stored = store.users.get(id);
  if (!stored) throw notFound();
  const others = [...store.users.values()].filter((user) => user.id !== id && user.divisionId === stored.divisionId);
  const isLastLeader = isActiveLeader(stored) && !others.some(isActiveLeader);
  const locked = {
    actor: storedActor(store, author.userId),
    user: userOf(store, stored),
    passwordHash: stored.passwordHash,
    isLastLeader,
    leadsOthersAlone: isLastLeader && others.length > 0,
  };
  return { stored, locked };
};

const refuseTakenNames = (store: Store, user: Pick<NewUser, 'id' | 'username' | 'email'>): void => {
  for (const field of ['username', 'email'] as const) {
    const folded = foldedName(user[field]);
    const sameName = (other: StoredUser) => other.id !== user.id && foldedName(other[field]) === folded;
    if (folded !== null && [...store.users.values()].some(sameName)) throw taken(field);
  }
};

const foldedName = (name: string | null): string | null => (name === null ? null : foldCase(name));

const creationKey = (author: Author, { key }: IdempotentCreation): string => JSON.stringify([author.userId, key]);

const findPrior = (store: Store, author: Author, idempotency: IdempotentCreation): PriorCreation | undefined => {
  const found = store.creations.get(creationKey(author, idempotency));
  if (!found || Date.parse(found.at) + KEY_LIFETIME_MS <= Date.parse(store.clock.now())) return undefined;
  const { request, user, passwordHash } = found;
  const isUnchanged = store.users.get(user.id)?.passwordHash === passwordHash;
  return { request, user, passwordHash: isUnchanged ? passwordHash : null };
};

const storeCreation = (
  store: Store,
  author: Author,
  { key, request }: IdempotentCreation,
  created: Omit<PriorCreation, 'request'>,
): void => {
  store.creations.set(creationKey(author, { key, request }), { ...created, request, at: store.clock.now() });
};
