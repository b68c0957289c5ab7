import { rateLimited } from '../../model/errors.ts';
import { CONFLICT_LIMITS, type ConflictLimits } from '../../ports/conflict-limits.ts';
import { LOGIN_LIMITS, type LoginLimits } from '../../ports/login-limits.ts';
import type { Store } from './store.ts';

interface Window {
  readonly endsAt: number;
  readonly count: number;
}

/** Counters by key, each within a window that begins with the first count and lasts `windowSeconds`. */
const makeCounters = (store: Store, windowSeconds: number) => {
  const windows = new Map<string, Window>();
  const now = () => Date.parse(store.clock.now()) / 1000;
  const present = (key: string): Window => {
    const found = windows.get(key);
    return found && found.endsAt > now() ? found : { endsAt: now() + windowSeconds, count: 0 };
  };
  return {
    present,
    store: (key: string, window: Window): void => void windows.set(key, window),
    clear: (key: string): void => void windows.delete(key),
    /** @throws DomainError `rate_limited` where a window is full. */
    requireRoom: (limits: readonly (readonly [key: string, limit: number])[]): void => {
      const ends = limits.flatMap(([key, limit]) => (present(key).count >= limit ? [present(key).endsAt] : []));
      if (ends.length > 0) throw rateLimited(Math.ceil(Math.max(...ends) - now()));
    },
  };
};

/** The login limits in memory. */
export const makeInMemoryLoginLimits = (store: Store): LoginLimits => {
  const { present, store: keep, clear, requireRoom } = makeCounters(store, LOGIN_LIMITS.windowSeconds);
  return {
    begin: (subject, network) =>
      store.exclusive(() => {
        const ofSubject = JSON.stringify([subject, network]);
        const limits: [string, number][] = [[network, LOGIN_LIMITS.ofNetwork]];
        if (subject !== null) limits.unshift([ofSubject, LOGIN_LIMITS.ofSubject]);
        requireRoom(limits);
        for (const [key] of limits) keep(key, { ...present(key), count: present(key).count + 1 });
        const giveBack = (key: string, { endsAt }: Window): void => {
          const now = present(key);
          // A window that began since, or that was cleared, does not include this attempt.
          if (now.endsAt === endsAt && now.count > 0) keep(key, { ...now, count: now.count - 1 });
        };
        const [bySubject, byNetwork] = [present(ofSubject), present(network)];
        return {
          succeeded: () =>
            store.exclusive(() => {
              clear(ofSubject);
              giveBack(network, byNetwork);
            }),
          withdraw: () =>
            store.exclusive(() => {
              giveBack(ofSubject, bySubject);
              giveBack(network, byNetwork);
            }),
        };
      }),
  };
};

/** The conflict limits in memory. */
export const makeInMemoryConflictLimits = (store: Store): ConflictLimits => {
  const { present, store: keep, requireRoom } = makeCounters(store, CONFLICT_LIMITS.windowSeconds);
  return {
    count: (userId) =>
      store.exclusive(() => {
        requireRoom([[userId, CONFLICT_LIMITS.ofUser]]);
        keep(userId, { ...present(userId), count: present(userId).count + 1 });
      }),
  };
};
