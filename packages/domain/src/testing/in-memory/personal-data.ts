import {
  type AuditEntry,
  ERASED_NAME,
  NO_TARGET,
  pruningAudit,
  userAudit,
  withoutValues,
} from '../../model/audit-entry.ts';
import { notFound } from '../../model/errors.ts';
import { foldCase } from '../../model/text.ts';
import type { User, UserId } from '../../model/user.ts';
import type { Erasure, PersonalData, StoredCounter } from '../../ports/personal-data.ts';
import { countedBy } from './limits.ts';
import { tokensOf } from './personal-tokens.ts';
import { activeSessionsOf } from './session-repository.ts';
import { endSessionsOf, endTokensOf, type Store, sessionsOf, userOf, writeEntry } from './store.ts';
import { lock } from './user-repository.ts';

/** Whether an entry is about this user. */
const isAbout = ({ targetId, targetType }: AuditEntry, id: UserId): boolean => targetType === 'user' && targetId === id;

const foldedTexts = (values: readonly unknown[]): readonly string[] =>
  values.filter((value) => typeof value === 'string' && value !== '').map((value) => foldCase(String(value)));

/** Returns the current and former usernames, emails, first names and last names of a user, case-folded. */
const namesOf = (store: Store, id: UserId): ReadonlySet<string> => {
  const { username, email, firstName, lastName } = store.users.get(id) ?? {};
  const past = store.audit
    .filter((entry) => isAbout(entry, id))
    .flatMap(({ changes }) => [changes['username'], changes['email'], changes['firstName'], changes['lastName']])
    .flatMap((change) => [change?.old, change?.new]);
  return new Set(foldedTexts([username, email, firstName, lastName, ...past]));
};

/** Returns a user's counters with their keys. The counter of a former name belongs to the user who has the name now. */
const countersOf = (store: Store, id: UserId) => {
  const names = namesOf(store, id);
  const others = new Set([...store.users.values()].flatMap((user) => (user.id === id ? [] : foldCase(user.username))));
  const kindOf = (key: string): StoredCounter['kind'] | undefined => {
    const counted = countedBy(key);
    if (counted === null || counted === 'network') return undefined;
    if ('conflictsOf' in counted) return counted.conflictsOf === id ? 'conflicts' : undefined;
    if ('userId' in counted) return counted.userId === id ? 'currentPasswords' : undefined;
    return names.has(counted.username) && !others.has(counted.username) ? 'logins' : undefined;
  };
  return [...store.counters].flatMap(([key, { count, endsAt }]) => {
    const kind = kindOf(key);
    return kind ? [{ key, kind, count, endsAt }] : [];
  });
};

const concerns = (entry: AuditEntry, id: UserId): boolean => isAbout(entry, id) || entry.authorId === id;

const byTime = (one: { readonly createdAt: string }, other: { readonly createdAt: string }): number =>
  one.createdAt.localeCompare(other.createdAt);

/** Returns an in-memory reader of personal data. */
export const makeInMemoryPersonalData = (store: Store): PersonalData => ({
  find: async (id) => {
    const stored = store.users.get(id);
    const creations = [...store.creations.values()];
    const data = {
      user: stored ? userOf(store, stored) : null,
      hasPassword: typeof stored?.passwordHash === 'string',
      lastActiveOn: store.activity.get(id) ?? null,
      sessions: sessionsOf(store, id).toSorted(byTime),
      tokens: tokensOf(store, id).toReversed(),
      linkExpiresAt: store.passwordLinks.get(id)?.expiresAt ?? null,
      keys: creations
        .filter(({ authorId }) => authorId === id)
        .map(({ at, key }) => ({ key, createdAt: at }))
        .toSorted(byTime),
      responses: creations
        .flatMap(({ at, request, user }) => (user.id === id && request !== '' ? [{ user, createdAt: at }] : []))
        .toSorted(byTime),
      counters: countersOf(store, id).map(({ kind, count, endsAt }) => ({
        kind,
        count,
        endsAt: new Date(endsAt * 1000).toISOString(),
      })),
      audit: store.audit.filter((entry) => concerns(entry, id)),
    };
    const { audit, keys, responses, user } = data;
    const isKnown = user !== null || [keys, responses, audit].some(({ length }) => length > 0);
    return isKnown ? data : null;
  },
});

const erased = (entry: AuditEntry, id: UserId): AuditEntry => ({
  ...entry,
  requestId: null,
  authorName: entry.authorId === id ? ERASED_NAME : entry.authorName,
  changes: isAbout(entry, id) ? withoutValues(entry.changes) : entry.changes,
});

const eraseEntries = (store: Store, id: UserId): number => {
  let count = 0;
  for (const [at, entry] of store.audit.entries()) {
    const next = erased(entry, id);
    if (!concerns(entry, id) || JSON.stringify(next) === JSON.stringify(entry)) continue;
    store.audit[at] = next;
    count += 1;
  }
  return count;
};

const eraseCreations = (store: Store, id: UserId, names: ReadonlySet<string>): number => {
  let count = 0;
  for (const [key, creation] of store.creations) {
    const isOwn = creation.authorId === id;
    if (!isOwn && (creation.user.id !== id || creation.request === '')) continue;
    count += 1;
    // The client chose the key, perhaps from the user's name.
    const sent = foldCase(creation.key);
    if (isOwn || [...names].some((name) => sent.includes(name))) store.creations.delete(key);
    else store.creations.set(key, { ...creation, request: '', user: { id } as User, passwordHash: null });
  }
  return count;
};

/** Returns an in-memory erasure. */
export const makeInMemoryErasure = (store: Store): Erasure => ({
  eraseUser: (author, id, permit) =>
    store.exclusive(() => {
      const locked = store.users.has(id) ? lock(store, author, id) : null;
      permit(locked);
      const last = store.audit.findLast((entry) => concerns(entry, id));
      const division = locked?.user.division ?? { id: last?.divisionId ?? NO_TARGET };
      const names = namesOf(store, id);
      const counters = countersOf(store, id);
      for (const { key } of counters) store.counters.delete(key);
      const removed = {
        sessions: activeSessionsOf(store, id).length,
        auditEntries: eraseEntries(store, id),
        storedResponses: eraseCreations(store, id, names),
        counters: counters.length,
      };
      endSessionsOf(store, id);
      endTokensOf(store, id);
      store.activity.delete(id);
      for (const [userId, { issuerId }] of store.passwordLinks) {
        if (userId === id || issuerId === id) store.passwordLinks.delete(userId);
      }
      if (!store.users.delete(id) && Object.values(removed).every((count) => count === 0)) throw notFound();
      writeEntry(store, author, userAudit('eraseUser', { id, division }));
      return removed;
    }),

  pruneAudit: (author, before) =>
    store.exclusive(() => {
      const kept = store.audit.filter(({ at }) => at >= before);
      const count = store.audit.length - kept.length;
      store.audit.splice(0, store.audit.length, ...kept);
      writeEntry(store, author, pruningAudit(before, count));
      return count;
    }),
});
