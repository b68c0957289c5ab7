import { rateLimited } from '../../model/errors.ts';
import { CONFLICT_LIMITS, type ConflictLimits } from '../../ports/conflict-limits.ts';
import { LOGIN_LIMITS, type LoginLimits } from '../../ports/login-limits.ts';
import type { Store } from './store.ts';

interface Window {
  readonly endsAt: number;
  readonly count: number;
}

/** Returns counters by key. Each counts in a window that starts with the first count and lasts `windowSeconds`. */
const makeCounters = (store: Store, windowSeconds: number) => {
  const windows = new Map<string, Window>();
  const now = () => Date.parse(store.clock.now()) / 1000;
  const currentWindow = (key: string): Window => {
    const found = windows.get(key);
    return found && found.endsAt > now() ? found : { endsAt: now() + windowSeconds, count: 0 };
  };
  return {
    currentWindow,
    store: (key: string, window: Window): void => void windows.set(key, window),
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
  return {
    begin: (subject, network) =>
      store.exclusive(() => {
        const ofSubject = JSON.stringify([subject, network]);
        const limits: [string, number][] = [[network, LOGIN_LIMITS.ofNetwork]];
        if (subject !== null) limits.unshift([ofSubject, LOGIN_LIMITS.ofSubject]);
        requireCapacity(limits);
        for (const [key] of limits) storeWindow(key, { ...currentWindow(key), count: currentWindow(key).count + 1 });
        const decrement = (key: string, { endsAt }: Window): void => {
          const now = currentWindow(key);
          // A window that started later, or was cleared, does not include this attempt.
          if (now.endsAt === endsAt && now.count > 0) storeWindow(key, { ...now, count: now.count - 1 });
        };
        const [bySubject, byNetwork] = [currentWindow(ofSubject), currentWindow(network)];
        return {
          succeeded: () =>
            store.exclusive(() => {
              clear(ofSubject);
              decrement(network, byNetwork);
            }),
          withdraw: () =>
            store.exclusive(() => {
              decrement(ofSubject, bySubject);
              decrement(network, byNetwork);
            }),
        };
      }),
  };
};

/** Returns in-memory conflict limits. */
export const makeInMemoryConflictLimits = (store: Store): ConflictLimits => {
  const { currentWindow, store: storeWindow, requireCapacity } = makeCounters(store, CONFLICT_LIMITS.windowSeconds);
  return {
    count: (userId) =>
      store.exclusive(() => {
        requireCapacity([[userId, CONFLICT_LIMITS.ofUser]]);
        storeWindow(userId, { ...currentWindow(userId), count: currentWindow(userId).count + 1 });
      }),
  };
};
