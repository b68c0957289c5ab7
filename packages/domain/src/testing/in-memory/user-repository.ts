import { divisionUserListFields, userListFields } from '../../lists/list-fields.ts';
import type { DivisionId, DivisionReference } from '../../model/division.ts';
import { notFound, taken } from '../../model/errors.ts';
import { LIFETIME_SECONDS } from '../../model/lifetimes.ts';
import { pick } from '../../model/pick.ts';
import { foldCase } from '../../model/text.ts';
import { type Author, isActiveLeader, type NewUser, type User, type UserId } from '../../model/user.ts';
import type { IdempotentCreation, PriorCreation, UserRepository } from '../../ports/user-repository.ts';
import { endedSessions } from '../../writes/credential-writes.ts';
import { decideCreation, type LockedUser, type UserWrite } from '../../writes/user-writes.ts';
import { pageOf } from './page-of.ts';
import { activeSessionsOf } from './session-repository.ts';
import {
  endSessionsOf,
  endTokensOf,
  membersOf,
  referencesOf,
  type Store,
  type StoredUser,
  storedActor,
  userOf,
  writeEntry,
} from './store.ts';

const KEY_LIFETIME_MS = LIFETIME_SECONDS.idempotencyKey * 1000;

/** Returns an in-memory user repository. */
export const makeInMemoryUsers = (store: Store): UserRepository => ({
  find: async (id) => {
    const user = store.users.get(id);
    return user ? userOf(store, user) : null;
  },

  list: async (divisionId, query) => pageOf(userListFields, membersOf(store, divisionId), query),

  listReferences: async (divisionId, query) => pageOf(divisionUserListFields, referencesOf(store, divisionId), query),

  checkCreation: (author, user, permit, idempotency) =>
    store.exclusive(() => {
      permit(storedActor(store, author.userId));
      const prior = idempotency && findPrior(store, author, idempotency);
      if (!prior) refuseTakenNames(store, user);
      return prior ?? null;
    }),

  create: (author, user, permit, idempotency) =>
    store.exclusive(() => {
      permit(storedActor(store, author.userId));
      const prior = idempotency && findPrior(store, author, idempotency);
      if (prior) return { prior };
      const created = storeUserWrite(store, author, decideCreation(user, referenceTo(store, user.divisionId)));
      if (idempotency) storeCreation(store, author, idempotency, { user: created, passwordHash: user.passwordHash });
      return { user: created };
    }),

  write: (author, { id, divisionId }, decide) =>
    store.exclusive(() => {
      const locked = lock(store, author, id, divisionId);
      const write = decide(locked);
      return write === 'unchanged' ? locked.user : storeUserWrite(store, author, write);
    }),

  endSessions: (author, id, sessionId) =>
    store.exclusive(() => {
      const { user } = lock(store, author, id);
      const ended = activeSessionsOf(store, id).filter((session) => session.id === (sessionId ?? session.id));
      for (const session of ended) store.sessions.delete(session.id);
      const audited = endedSessions(user, sessionId, ended.length);
      if (audited) writeEntry(store, author, audited);
      return ended.length;
    }),
});

const referenceTo = (store: Store, id: DivisionId): DivisionReference => {
  const division = store.divisions.get(id);
  if (!division) throw notFound();
  return pick(division, ['id', 'name']);
};

/** Returns the locked state of a user. @throws DomainError `not_found`. */
export const lock = (store: Store, author: Author, id: UserId, divisionId?: DivisionId): LockedUser => {
  const stored = store.users.get(id);
  if (!stored) throw notFound();
  const others = [...store.users.values()].filter((user) => user.id !== id && user.divisionId === stored.divisionId);
  const isLastLeader = isActiveLeader(stored) && !others.some(isActiveLeader);
  return {
    actor: storedActor(store, author.userId),
    user: userOf(store, stored),
    passwordHash: stored.passwordHash,
    division: referenceTo(store, divisionId ?? stored.divisionId),
    isLastLeader,
    leadsOthersAlone: isLastLeader && others.length > 0,
  };
};

/** Applies a write. Returns the user as stored then, or as they were deleted. */
export const storeUserWrite = (
  store: Store,
  author: Author,
  { audit, endsSessions, endsTokens, kind, passwordHash, user, voidsLink }: UserWrite,
): User => {
  const { division, id, revision: _, ...fields } = user;
  const version = (store.users.get(id)?.version ?? 0) + 1;
  const written = { ...fields, id, divisionId: division.id, passwordHash, version };
  if (kind !== 'delete') {
    refuseTakenNames(store, user);
    store.users.set(id, written);
  } else {
    store.users.delete(id);
    store.activity.delete(id);
  }
  if (endsSessions) endSessionsOf(store, id);
  if (endsTokens) endTokensOf(store, id);
  if (voidsLink) store.passwordLinks.delete(id);
  writeEntry(store, author, audit);
  return kind === 'delete' ? user : userOf(store, written);
};

const refuseTakenNames = (store: Store, user: Pick<NewUser, 'username' | 'email'> & { readonly id?: UserId }): void => {
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
  const creation = { ...created, authorId: author.userId, key, request, at: store.clock.now() };
  store.creations.set(creationKey(author, creation), creation);
};
