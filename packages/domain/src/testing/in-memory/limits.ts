import { rateLimited } from '../../model/errors.ts';
import type { User, UserId } from '../../model/user.ts';
import { CONFLICT_LIMITS, type ConflictLimits } from '../../ports/conflict-limits.ts';
import { LOGIN_LIMITS, type LoginLimits, type LoginSubject, loginSubjectsOf } from '../../ports/login-limits.ts';
import { unlockedUser } from '../../writes/credential-writes.ts';
import { type Store, type StoredWindow, writeEntry } from './store.ts';
import { lock } from './user-repository.ts';

/** What a counter counts: attempts of a login subject (null without one) or a network, or conflicts of a user. */
type Counted = LoginSubject | { readonly conflictsOf: UserId } | 'network' | null;

const keyOf = (counted: Counted, network: string | null): string => JSON.stringify([counted, network]);

/** Returns what the counter with a key counts. */
export const countedBy = (key: string): Counted => (JSON.parse(key) as [Counted, string | null])[0];

/** Returns counters by key. Each counts in a window that starts with the first count and lasts `windowSeconds`. */
const makeCounters = (store: Store, windowSeconds: number) => {
  const windows = store.counters;
  const now = () => Date.parse(store.clock.now()) / 1000;
  const currentWindow = (key: string): StoredWindow => {
    const found = windows.get(key);
    return found && found.endsAt > now() ? found : { endsAt: now() + windowSeconds, count: 0 };
  };
  return {
    currentWindow,
    store: (key: string, window: StoredWindow): void => void windows.set(key, window),
    clear: (key: string): void => void windows.delete(key),
    /** @throws DomainError `rate_limited` if a window is full. */
    requireCapacity: (limits: readonly (readonly [key: string, limit: number])[]): void => {
      const ends = limits.flatMap(([key, limit]) =>
        currentWindow(key).count >= limit ? [currentWindow(key).endsAt] : [],
      );
      if (ends.length > 0) throw rateLimited(Math.ceil(Math.max(...ends) - now()));
    },
  };
};

/** Returns in-memory login limits. */
export const makeInMemoryLoginLimits = (store: Store): LoginLimits => {
  const { currentWindow, store: storeWindow, clear, requireCapacity } = makeCounters(store, LOGIN_LIMITS.windowSeconds);
  const countersOf = (user: Pick<User, 'id' | 'username'>) => {
    const subjects = new Set(loginSubjectsOf(user).map((subject) => JSON.stringify(subject)));
    return [...store.counters.keys()].flatMap((key) =>
      subjects.has(JSON.stringify(countedBy(key))) ? [{ key, ...currentWindow(key) }] : [],
    );
  };
  return {
    begin: (subject, network) =>
      store.exclusive(() => {
        const [ofSubject, ofNetwork] = [keyOf(subject, network), keyOf('network', network)];
        const limits: [string, number][] = [[ofNetwork, LOGIN_LIMITS.ofNetwork]];
        if (subject !== null) limits.unshift([ofSubject, LOGIN_LIMITS.ofSubject]);
        requireCapacity(limits);
        for (const [key] of limits) storeWindow(key, { ...currentWindow(key), count: currentWindow(key).count + 1 });
        const decrement = (key: string, { endsAt }: StoredWindow): void => {
          const now = currentWindow(key);
          // A window that started later, or was cleared, does not include this attempt.
          if (now.endsAt === endsAt && now.count > 0) storeWindow(key, { ...now, count: now.count - 1 });
        };
        const [bySubject, byNetwork] = [currentWindow(ofSubject), currentWindow(ofNetwork)];
        return {
          succeeded: () =>
            store.exclusive(() => {
              clear(ofSubject);
              decrement(ofNetwork, byNetwork);
            }),
          withdraw: () =>
            store.exclusive(() => {
              decrement(ofSubject, bySubject);
              decrement(ofNetwork, byNetwork);
            }),
        };
      }),

    clear: (user, network) =>
      store.exclusive(() => {
        for (const subject of loginSubjectsOf(user)) clear(keyOf(subject, network));
      }),

    lockedUntil: async (user) => {
      const ends = countersOf(user).flatMap(({ count, endsAt }) => (count >= LOGIN_LIMITS.ofSubject ? [endsAt] : []));
      return ends.length === 0 ? null : new Date(Math.max(...ends) * 1000).toISOString();
    },

    unlock: (author, id) =>
      store.exclusive(() => {
        const { user } = lock(store, author, id);
        const counters = countersOf(user);
        for (const { key } of counters) clear(key);
        const failures = counters.reduce((sum, { count }) => sum + count, 0);
        const audited = unlockedUser(user, failures);
        if (audited) writeEntry(store, author, audited);
        return failures;
      }),
  };
};

/** Returns in-memory conflict limits. */
export const makeInMemoryConflictLimits = (store: Store): ConflictLimits => {
  const { currentWindow, store: storeWindow, requireCapacity } = makeCounters(store, CONFLICT_LIMITS.windowSeconds);
  return {
    count: (userId) =>
      store.exclusive(() => {
        const key = keyOf({ conflictsOf: userId }, null);
        requireCapacity([[key, CONFLICT_LIMITS.ofUser]]);
        storeWindow(key, { ...currentWindow(key), count: currentWindow(key).count + 1 });
      }),
  };
};
