import type { AuditEntry } from '../../model/audit-entry.ts';
import { foldCase } from '../../model/text.ts';
import type { UserId } from '../../model/user.ts';
import type { PersonalData, StoredCounter } from '../../ports/personal-data.ts';
import { countedBy } from './limits.ts';
import { tokensOf } from './personal-tokens.ts';
import { type Store, sessionsOf, userOf } from './store.ts';

/** Whether an entry is about this user. */
export const isAbout = ({ targetId, targetType }: AuditEntry, id: UserId): boolean =>
  targetType === 'user' && targetId === id;

const foldedTexts = (values: readonly unknown[]): readonly string[] =>
  values.filter((value) => typeof value === 'string' && value !== '').map((value) => foldCase(String(value)));

/** Returns the current and former usernames, emails, first names and last names of a user, case-folded. */
export const namesOf = (store: Store, id: UserId): ReadonlySet<string> => {
  const { username, email, firstName, lastName } = store.users.get(id) ?? {};
  const past = store.audit
    .filter((entry) => isAbout(entry, id))
    .flatMap(({ changes }) => [changes['username'], changes['email'], changes['firstName'], changes['lastName']])
    .flatMap((change) => [change?.old, change?.new]);
  return new Set(foldedTexts([username, email, firstName, lastName, ...past]));
};

/** Maps the keys of a user's counters to their kind. The counter of a former name belongs to the user who has the name now. */
export const countersOf = (store: Store, id: UserId): ReadonlyMap<string, StoredCounter['kind']> => {
  const names = namesOf(store, id);
  const others = new Set(
    [...store.users.values()].filter((user) => user.id !== id).map((user) => foldCase(user.username)),
  );
  const kindOf = (key: string): StoredCounter['kind'] | undefined => {
    const counted = countedBy(key);
    if (counted === null || counted === 'network') return undefined;
    if ('conflictsOf' in counted) return counted.conflictsOf === id ? 'conflicts' : undefined;
    if ('userId' in counted) return counted.userId === id ? 'currentPasswords' : undefined;
    return names.has(counted.username) && !others.has(counted.username) ? 'logins' : undefined;
  };
  return new Map(
    [...store.counters.keys()].flatMap((key) => {
      const kind = kindOf(key);
      return kind === undefined ? [] : [[key, kind] as const];
    }),
  );
};

/** Returns the keys under which a user stored creations. */
export const keysOf = (store: Store, id: UserId): readonly string[] =>
  [...store.creations.keys()].filter((key) => (JSON.parse(key) as unknown[])[0] === id);

const byTime = (one: { readonly createdAt: string }, other: { readonly createdAt: string }): number =>
  one.createdAt.localeCompare(other.createdAt);

/** Returns an in-memory reader of personal data. */
export const makeInMemoryPersonalData = (store: Store): PersonalData => ({
  find: async (id) => {
    const stored = store.users.get(id);
    const creations = [...store.creations];
    const own = keysOf(store, id);
    const data = {
      user: stored ? userOf(store, stored) : null,
      hasPassword: typeof stored?.passwordHash === 'string',
      lastActiveOn: store.activity.get(id) ?? null,
      sessions: sessionsOf(store, id).toSorted(byTime),
      tokens: tokensOf(store, id).toReversed(),
      linkExpiresAt: store.passwordLinks.get(id)?.expiresAt ?? null,
      keys: creations
        .filter(([key]) => own.includes(key))
        .map(([key, { at }]) => ({ key: String((JSON.parse(key) as unknown[])[1]), createdAt: at }))
        .toSorted(byTime),
      responses: creations
        .flatMap(([, { at, request, user }]) => (user.id === id && request !== '' ? [{ user, createdAt: at }] : []))
        .toSorted(byTime),
      counters: [...countersOf(store, id)].map(([key, kind]) => {
        const { count = 0, endsAt = 0 } = store.counters.get(key) ?? {};
        return { kind, count, endsAt: new Date(endsAt * 1000).toISOString() };
      }),
      audit: store.audit.filter((entry) => isAbout(entry, id) || entry.authorId === id),
    };
    const { audit, keys, responses, user } = data;
    const isKnown = user !== null || [keys, responses, audit].some(({ length }) => length > 0);
    return isKnown ? data : null;
  },
});
