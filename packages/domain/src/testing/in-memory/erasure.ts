import {
  type AuditEntry,
  ERASED_NAME,
  NO_TARGET,
  prunedEntries,
  userAudit,
  withoutValues,
} from '../../model/audit-entry.ts';
import { notFound } from '../../model/errors.ts';
import { foldCase } from '../../model/text.ts';
import type { User, UserId } from '../../model/user.ts';
import type { Erasure } from '../../ports/personal-data.ts';
import { countersOf, isAbout, keysOf, namesOf } from './personal-data.ts';
import { activeSessionsOf } from './session-repository.ts';
import { endSessionsOf, endTokensOf, type Store, writeEntry } from './store.ts';
import { lock } from './user-repository.ts';

const erased = (entry: AuditEntry, id: UserId): AuditEntry => ({
  ...entry,
  requestId: null,
  authorName: entry.authorId === id ? ERASED_NAME : entry.authorName,
  changes: isAbout(entry, id) ? withoutValues(entry.changes) : entry.changes,
});

const eraseEntries = (store: Store, id: UserId): number => {
  let count = 0;
  for (const [at, entry] of store.audit.entries()) {
    if (!isAbout(entry, id) && entry.authorId !== id) continue;
    const next = erased(entry, id);
    if (JSON.stringify(next) === JSON.stringify(entry)) continue;
    store.audit[at] = next;
    count += 1;
  }
  return count;
};

const eraseCreations = (store: Store, id: UserId, names: ReadonlySet<string>): number => {
  const own = keysOf(store, id);
  for (const key of own) store.creations.delete(key);
  let count = own.length;
  for (const [key, creation] of store.creations) {
    if (creation.user.id !== id || creation.request === '') continue;
    count += 1;
    // The client chose the key, perhaps from the user's name.
    const sent = foldCase(String((JSON.parse(key) as unknown[])[1]));
    if ([...names].some((name) => sent.includes(name))) store.creations.delete(key);
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
      const entries = store.audit.filter((entry) => isAbout(entry, id) || entry.authorId === id);
      const divisionId = locked?.user.division.id ?? entries.at(-1)?.divisionId ?? NO_TARGET;
      const names = namesOf(store, id);
      const counters = [...countersOf(store, id).keys()];
      for (const key of counters) store.counters.delete(key);
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
      writeEntry(store, author, userAudit('eraseUser', { id, division: { id: divisionId } }));
      return removed;
    }),

  pruneAudit: (author, before) =>
    store.exclusive(() => {
      const kept = store.audit.filter(({ at }) => at >= before);
      const count = store.audit.length - kept.length;
      store.audit.splice(0, store.audit.length, ...kept);
      writeEntry(store, author, {
        action: 'pruneAudit',
        targetType: 'audit',
        targetId: NO_TARGET,
        divisionId: NO_TARGET,
        changes: prunedEntries(before, count),
      });
      return count;
    }),
});
