import { rateLimited } from '../errors.ts';
import type { LoginLimits } from '../ports/login-limits.ts';
import type { Store } from './store.ts';

/** Seconds for which an attempt counts, from the first of a window on. Contract, section 6. */
const WINDOW = 15 * 60;
/** Attempts of one username from one network, and of one network. */
const LIMITS = { username: 10, network: 100 };

interface Window {
  readonly endsAt: number;
  readonly attempts: number;
}

/** The twin of the login limits. A window begins with its first attempt and lasts 15 minutes. */
export const makeInMemoryLoginLimits = (store: Store): LoginLimits => {
  const windows = new Map<string, Window>();
  const nowInSeconds = () => Date.parse(store.clock.now()) / 1000;
  const present = (key: string): Window => {
    const found = windows.get(key);
    return found && found.endsAt > nowInSeconds() ? found : { endsAt: nowInSeconds() + WINDOW, attempts: 0 };
  };
  return {
    begin: (username, network) =>
      store.alone(() => {
        const ofUsername = JSON.stringify([username, network]);
        const [one, all] = [present(ofUsername), present(network)];
        const full = [one.attempts >= LIMITS.username ? one : null, all.attempts >= LIMITS.network ? all : null];
        const ends = full.flatMap((window) => window?.endsAt ?? []);
        if (ends.length > 0) throw rateLimited(Math.ceil(Math.max(...ends) - nowInSeconds()));
        windows.set(ofUsername, { ...one, attempts: one.attempts + 1 });
        windows.set(network, { ...all, attempts: all.attempts + 1 });
        return {
          succeeded: () =>
            store.alone(() => {
              windows.delete(ofUsername);
              const now = present(network);
              // A window that began since does not hold this attempt.
              if (now.endsAt === all.endsAt) windows.set(network, { ...now, attempts: now.attempts - 1 });
            }),
        };
      }),
  };
};
