import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import {
  type FairQueue,
  type HashRequest,
  makeFairQueue,
  type PasswordHash,
  type PasswordHasher,
  type Tracer,
} from '@chapter/domain/ports';
import * as namespace from 'scrypt-kdf';
import { systemTimers } from '../system/clock-and-ids.ts';
import {
  hashProcessors,
  memoryOf,
  type ScryptParameters,
  scryptParametersOf,
  workLeft,
  workOf,
} from './scrypt-hash.ts';

/**
 * How many `nice` steps (0 to 19) the priority of the hashing threads is below the rest of the process. docs/logins.md
 * has the measurements.
 */
export const POOL_NICE = 5;

const TASKS_DIRECTORY = '/proc/self/task';

/**
 * Lowers the priority of the threads of Node's pool, which compute hashes, so that a flood of logins delays other
 * requests less. Call it after the pool has started its threads. The change is permanent: without CAP_SYS_NICE, a Linux
 * process cannot raise the priority of its threads again (setpriority(2)). Does nothing on other systems, whose threads
 * have no separate priorities. Never throws.
 */
const lowerThreadPoolPriority = (): void => {
  try {
    const own = getPriority();
    for (const task of readdirSync(TASKS_DIRECTORY)) {
      if (readFileSync(`${TASKS_DIRECTORY}/${task}/comm`, 'utf8').trim() === 'libuv-worker') {
        setPriority(Number(task), Math.min(19, own + POOL_NICE));
      }
    }
  } catch {
    // Without a lower priority, other requests are slower, but nothing breaks.
  }
};

// The module's types declare named exports, but it only has a default export with those members.
const scrypt = (namespace as typeof namespace & { readonly default: typeof namespace }).default;

/** How many calls may wait. With slow hashes the queue admits fewer. */
const MAX_WAITING = 1000;

const pausing = <T>(request: HashRequest | undefined, work: () => Promise<T>): Promise<T> =>
  request?.pause ? request.pause(work) : work();

interface ScryptOptions {
  readonly maxRunning?: number;
  readonly maxWaiting?: number;
  readonly tracer?: Tracer | undefined;
}

/**
 * Makes a hasher that computes scrypt-kdf hashes with these parameters, in base64. Contract §4 and §6.
 *
 * `maxRunning` limits the hashes that are computed at once. The default depends on the processors and the threads of
 * Node's pool. `maxWaiting` limits the calls that wait for their turn.
 *
 * @throws DomainError `rate_limited` and `unavailable` from its functions when too many calls wait.
 */
export const makeScryptPasswords = (
  parameters: ScryptParameters,
  { maxRunning = hashProcessors().byDefault, maxWaiting = MAX_WAITING, tracer }: ScryptOptions = {},
): PasswordHasher & Pick<FairQueue, 'use'> => {
  const queue = makeFairQueue(
    { maxRunning, maxWaiting },
    systemTimers,
    tracer && ((wait) => tracer.span('wait', 'hashes', wait)),
  );
  const derive = (password: string): Promise<Uint8Array> => scrypt.kdf(password, parameters);
  let isPriorityLowered = false;
  const inTurn = async <T>(work: () => Promise<T>, request: HashRequest = { share: ['operator'] }): Promise<T> =>
    queue.run(
      request.share,
      async () => {
        const done = await (tracer ? tracer.span('hash', 'password', work) : work());
        if (!isPriorityLowered) lowerThreadPoolPriority();
        isPriorityLowered = true;
        return done;
      },
      { ...request, pause: undefined },
    );

  const verify: PasswordHasher['verify'] = (password, hash, request) =>
    inTurn(async () => {
      const found = hash === null ? undefined : scryptParametersOf(hash);
      if (hash !== null && found) {
        const matches = await scrypt.verify(Buffer.from(hash, 'base64'), password);
        // A weak hash is verified faster. Spend the missing time, so that durations do not reveal which users exist.
        // Matches need it as well, because an inactive user's login fails even with the right password.
        const left = workLeft(found, parameters);
        if (left > 0) await scrypt.kdf(password, { ...parameters, p: left });
        return matches;
      }
      // An unknown user or an invalid hash must take as long as any other login.
      await derive(password);
      return false;
    }, request);

  const verifications = new Map<string, Promise<boolean>>();
  const verifyOnce = (password: string, hash: PasswordHash | null, request: HashRequest): Promise<boolean> => {
    const key = `${hash} ${password}`;
    // The other requests need the result even if the client of the first one disconnects.
    const running = verifications.get(key) ?? verify(password, hash, { ...request, isAbandoned: undefined });
    verifications.set(key, running);
    return running.finally(() => verifications.delete(key));
  };

  return {
    hash: (password, request) =>
      pausing(request, () => inTurn(async () => Buffer.from(await derive(password)).toString('base64'), request)),

    verify: (password, hash, request) =>
      pausing(request, () => (request?.isCoalesced ? verifyOnce : verify)(password, hash, request)),

    requireCapacity: queue.requireRoom,
    use: queue.use,

    isWeak: (hash) => {
      const found = scryptParametersOf(hash);
      return !found || memoryOf(found) < memoryOf(parameters) || workOf(found) < workOf(parameters);
    },
  };
};
