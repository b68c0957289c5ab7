import { createHash } from 'node:crypto';
import { type LoginLimits, rateLimited } from '@chapter/domain';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { translateError } from './errors.ts';
import type { Runner } from './statement.ts';

/** How many attempts may fail within a window. */
export interface LoginLimitRules {
  /** For one username from one network. */
  readonly ofUsername: number;
  /** For one network. */
  readonly ofNetwork: number;
  /** Length of the window in seconds, from the first failure on. */
  readonly window: number;
}

/** What counts where nothing else is said. Contract, section 6. */
export const LOGIN_LIMITS: LoginLimitRules = { ofUsername: 10, ofNetwork: 100, window: 15 * 60 };

// Not below zero and not in another window, where a point would be one that was never taken.
const GIVE_BACK = {
  name: 'give-back-attempt',
  text: 'update login_limit set points = points - 1 where key = $1 and points > 0 and expire > $2',
};

const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('base64url');

/** Counts in PostgreSQL, so that all instances share them; each attempt is one atomic upsert per limit. */
export const makeLoginLimits = (pool: Pool, runner: Runner, rules: LoginLimitRules = LOGIN_LIMITS): LoginLimits => {
  const limiter = (keyPrefix: string, points: number) =>
    new RateLimiterPostgres({
      storeClient: pool,
      storeType: 'pool',
      tableName: 'login_limit',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration: rules.window,
    });
  const ofUsername = limiter('u', rules.ofUsername);
  const ofNetwork = limiter('n', rules.ofNetwork);

  /** Takes a point, and gives it back as long as its window is open. */
  const take = async (from: RateLimiterPostgres, key: string): Promise<() => Promise<void>> => {
    try {
      const { msBeforeNext } = await from.consume(key);
      const end = Date.now() + msBeforeNext;
      return async () => {
        if (Date.now() < end) await runner.query(GIVE_BACK, [from.getKey(key), Date.now()]);
      };
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) throw rateLimited(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
      throw translateError(refusal);
    }
  };

  return {
    begin: async (username, network) => {
      const [pair, place] = [digestOf(username, network), digestOf(network)];
      const giveBackPair = await take(ofUsername, pair);
      const giveBackPlace = await take(ofNetwork, place).catch(async (error: unknown) => {
        await giveBackPair();
        throw error;
      });
      return {
        succeeded: async () => {
          await ofUsername.delete(pair).catch((error: unknown) => Promise.reject(translateError(error)));
          await giveBackPlace();
        },
      };
    },
  };
};
