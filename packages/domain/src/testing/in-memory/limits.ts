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
const makeCounters = ({ clock, counters }: Store, windowSeconds: number) => {
  const now = () => Date.parse(clock.now()) / 1000;
  const currentWindow = (key: string): StoredWindow => {
    const found = counters.get(key);
    return found && found.endsAt > now() ? found : { endsAt: now() + windowSeconds, count: 0 };
  };
  return {
    currentWindow,
    /** Adds one to each counter. @throws DomainError `rate_limited` if a window is full; then it adds nothing. */
    count: (limits: readonly (readonly [key: string, limit: number])[]): void => {
      const windows = limits.map(([key, limit]) => ({ key, limit, window: currentWindow(key) }));
      const full = windows.filter(({ limit, window }) => window.count >= limit);
      if (full.length > 0) throw rateLimited(Math.ceil(Math.max(...full.map(({ window }) => window.endsAt)) - now()));
      for (const { key, window } of windows) counters.set(key, { ...window, count: window.count + 1 });
    },
  };
};

/** Returns in-memory login limits. */
export const makeInMemoryLoginLimits = (store: Store): LoginLimits => {
  const { counters } = store;
  const { count, currentWindow } = makeCounters(store, LOGIN_LIMITS.windowSeconds);
  const countersOf = (user: Pick<User, 'id' | 'username'>) => {
    const subjects = new Set(loginSubjectsOf(user).map((subject) => JSON.stringify(subject)));
    return [...counters.keys()].flatMap((key) =>
      subjects.has(JSON.stringify(countedBy(key))) ? [{ key, ...currentWindow(key) }] : [],
    );
  };
  return {
    begin: (subject, network) =>
      store.exclusive(() => {
        const [ofSubject, ofNetwork] = [keyOf(subject, network), keyOf('network', network)];
        const limits: [string, number][] = [[ofNetwork, LOGIN_LIMITS.ofNetwork]];
        if (subject !== null) limits.push([ofSubject, LOGIN_LIMITS.ofSubject]);
        count(limits);
        const decrement = (key: string, { endsAt }: StoredWindow): void => {
          const now = currentWindow(key);
          // A window that started later, or was cleared, does not include this attempt.
          if (now.endsAt === endsAt && now.count > 0) counters.set(key, { ...now, count: now.count - 1 });
        };
        const [bySubject, byNetwork] = [currentWindow(ofSubject), currentWindow(ofNetwork)];
        return {
          succeeded: () =>
            store.exclusive(() => {
              counters.delete(ofSubject);
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
        for (const subject of loginSubjectsOf(user)) counters.delete(keyOf(subject, network));
      }),

    lockedUntil: async (user) => {
      const full = countersOf(user).filter((counter) => counter.count >= LOGIN_LIMITS.ofSubject);
      return full.length === 0 ? null : new Date(Math.max(...full.map(({ endsAt }) => endsAt)) * 1000).toISOString();
    },

    unlock: (author, id) =>
      store.exclusive(() => {
        const { user } = lock(store, author, id);
        const found = countersOf(user);
        for (const { key } of found) counters.delete(key);
        const failures = found.reduce((sum, counter) => sum + counter.count, 0);
        const audited = unlockedUser(user, failures);
        if (audited) writeEntry(store, author, audited);
        return failures;
      }),
  };
};

/** Returns in-memory conflict limits. */
export const makeInMemoryConflictLimits = (store: Store): ConflictLimits => {
  const { count } = makeCounters(store, CONFLICT_LIMITS.windowSeconds);
  return {
    count: (userId) => store.exclusive(() => count([[keyOf({ conflictsOf: userId }, null), CONFLICT_LIMITS.ofUser]])),
  };
};
