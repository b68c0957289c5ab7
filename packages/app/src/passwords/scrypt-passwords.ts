import { availableParallelism } from 'node:os';
import { type HashRequest, type PasswordHasher, unavailable } from '@chapter/domain';
import * as namespace from 'scrypt-kdf';
import { makeGate } from './gate.ts';
import { lowerThreadPoolPriority } from './pool-priority.ts';
import { memoryOf, parametersOf, type ScryptParameters, workLeft, workOf } from './scrypt-hash.ts';

// The module's types declare named exports; what it has is a default one with those members.
const scrypt = (namespace as unknown as { readonly default: typeof namespace }).default;

/** Calls that wait for their turn. With slow hashes the gate admits fewer. */
const MAX_WAITING = 100;

/**
 * Limits how many hashes run at once. Two threads of Node's pool stay free, because tokens, files and name lookups use
 * the same pool; one processor stays free, so that other requests keep their pace during a flood of logins.
 */
export const hashesAtOnce = (threads: number, processors: number): number =>
  Math.max(1, Math.min(2, threads - 2, processors - 1));

/**
 * Makes a hasher that stores scrypt-kdf hashes of these parameters in base64. Contract §4 and §6.
 *
 * `atOnce` limits the hashes that are computed at once, by default from the processors and the threads of Node's pool;
 * `waiting` limits the calls that wait for their turn.
 *
 * @throws DomainError `unavailable` from its functions when too many calls wait.
 */
export const makeScryptPasswords = (
  parameters: ScryptParameters,
  {
    atOnce = hashesAtOnce(Number(process.env['UV_THREADPOOL_SIZE'] ?? 4), availableParallelism()),
    waiting = MAX_WAITING,
  } = {},
): PasswordHasher => {
  const gate = makeGate({ atOnce, waiting });
  const derive = (password: string): Promise<Uint8Array> => scrypt.kdf(password, parameters);
  let isPriorityLowered = false;
  const inTurn = <T>(work: () => Promise<T>, request?: HashRequest): Promise<T> =>
    gate(async () => {
      const done = await work();
      if (!isPriorityLowered) lowerThreadPoolPriority();
      isPriorityLowered = true;
      return done;
    }, request);

  return {
    hash: (password, request) => inTurn(async () => Buffer.from(await derive(password)).toString('base64'), request),

    verify: (password, hash, request) =>
      inTurn(async () => {
        const found = hash === null ? undefined : parametersOf(hash);
        if (hash !== null && found) {
          const matches = await scrypt.verify(Buffer.from(hash, 'base64'), password);
          // A weak hash is checked faster, which would tell that somebody is there; the inactive fail when it matches, too.
          const left = workLeft(found, parameters);
          if (left > 0) await scrypt.kdf(password, { ...parameters, p: left });
          return matches;
        }
        // Nobody's password, or one that nothing can match, takes the time of any other.
        await derive(password);
        return false;
      }, request),

    requireCapacity: () => {
      if (gate.isFull()) throw unavailable();
    },

    isWeak: (hash) => {
      const found = parametersOf(hash);
      return !found || memoryOf(found) < memoryOf(parameters) || workOf(found) < workOf(parameters);
    },
  };
};
