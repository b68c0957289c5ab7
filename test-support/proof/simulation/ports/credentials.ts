import type {
  CredentialStore,
  Credentials,
  LoginLimits,
  PasswordHasher,
} from '../../../../packages/domain/src/ports/index.ts';
import { unavailable } from '../../../../packages/domain/src/ports/index.ts';
import { requireSame } from '../difference.ts';
import type { ModelUser } from '../model/state.ts';
import type { Run } from '../run.ts';
import { requireUser } from '../views.ts';
import { call, type Simulation } from './call.ts';

/** Wraps the credential store: calls take turns and are compared with the model. */
export const simulateCredentials = (simulation: Simulation): CredentialStore => {
  const { world, model } = simulation;
  const { credentials } = world;

  const require = (found: Credentials | null, expected: ModelUser | undefined): Credentials | null => {
    requireUser(model, found && found.user, expected);
    requireSame('a stored hash', found?.passwordHash, expected?.hash);
    return found;
  };
  const findByUsername = (username: string) => async () => {
    const found = await credentials.findByUsername(username);
    const isNamed = (user: ModelUser) => user.username.toLowerCase() === username;
    return require(found, [...model.users.values()].find(isNamed));
  };
  const find = (id: string) => async (run: Run) => {
    const found = require(await credentials.find(id), model.users.get(id));
    run.checkedHash = found?.passwordHash ?? undefined;
    return found;
  };

  return {
    findByUsername: (username) =>
      call(simulation, 'credentials.findByUsername', findByUsername(username), findByUsername(username)),
    find: (id) => call(simulation, 'credentials.find', find(id), find(id)),
    renew: (id, from, to) =>
      call(simulation, 'credentials.renew', async () => {
        await credentials.renew(id, from, to);
        const user = model.users.get(id);
        if (user?.hash === from) model.users.set(id, { ...user, hash: to });
      }),
  };
};

/** Wraps the hasher: calls take turns. */
export const simulateHasher = (simulation: Simulation): PasswordHasher => {
  const { world, random, faults, counts } = simulation;
  const { hasher } = world;
  return {
    hash: (...given) => call(simulation, 'hasher.hash', () => hasher.hash(...given)),
    verify: (...given) => call(simulation, 'hasher.verify', () => hasher.verify(...given)),
    requireCapacity: () => {
      if (!random.chance(faults.before)) return;
      counts.failures += 1;
      simulation.run().failures += 1;
      throw unavailable();
    },
    isWeak: (hash) => hasher.isWeak(hash),
  };
};

/** Wraps the login limits: calls take turns. No history reaches a limit. */
export const simulateLimits = (simulation: Simulation): LoginLimits => ({
  begin: (subject, network) =>
    call(simulation, 'limits.begin', async () => {
      const attempt = await simulation.world.loginLimits.begin(subject, network);
      return {
        succeeded: () => call(simulation, 'attempt.succeeded', () => attempt.succeeded()),
        withdraw: () => call(simulation, 'attempt.withdraw', () => attempt.withdraw()),
      };
    }),
  clear: (user, network) => call(simulation, 'limits.clear', () => simulation.world.loginLimits.clear(user, network)),
  lockedUntil: (user) => simulation.world.loginLimits.lockedUntil(user),
  unlock: (author, id) => simulation.world.loginLimits.unlock(author, id),
});
