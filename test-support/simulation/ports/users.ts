import type { LockedUser, User, UserRepository } from '../../../packages/domain/src/index.ts';
import { requireSame } from '../difference.ts';
import { predictCreation } from '../model/creations.ts';
import { predictMove, predictSetting } from '../model/operator.ts';
import { predictDeletion, predictUpdate } from '../model/users.ts';
import { commandOfRun, type Run, recordPossibleOutcomes, requireAuthor } from '../run.ts';
import { requireUser } from '../views.ts';
import { call, type Simulation, write } from './call.ts';

/** Wraps the user repository: calls take turns and are compared with the model. */
export const simulateUsers = (simulation: Simulation): UserRepository => {
  const { world, model } = simulation;
  const { users } = world;

  const find = (id: string) => async (run: Run) => {
    const found = await users.find(id);
    requireUser(model, found, model.users.get(id));
    run.effect = { of: 'read', expected: found };
    return found;
  };

  return {
    find: (id) => call(simulation, 'users.find', find(id), find(id)),
    list: (divisionId, query) => users.list(divisionId, query),
    listReferences: (divisionId, query) => users.listReferences(divisionId, query),

    create: (author, user, permit, creation) =>
      write(
        simulation,
        'users.create',
        (run) => {
          const by = { actorId: requireAuthor(run, author.userId), requestId: run.requestId };
          const { id, divisionId, passwordHash } = user;
          const given = { id, divisionId, hash: passwordHash ?? '' };
          return predictCreation(model, by, commandOfRun(run, 'createUser'), given, Date.parse(world.clock.now()));
        },
        (decide) => users.create(author, user, (actor) => decide(permit(actor)), creation),
        (created, expected, run) => {
          if ('user' in created) requireUser(model, created.user, expected.earlier ? undefined : expected.user);
          else requireSame('an earlier creation', created.prior.user.id, expected.earlier?.user.id);
          if (!expected.earlier) return;
          run.replayed = expected;
          // There may be no further turn before the command ends.
          recordPossibleOutcomes(model, run);
        },
      ),

    update: (author, id, change) => {
      let hash = '';
      return write(
        simulation,
        'users.update',
        (run) => {
          if (author.userId === null) return predictSetting(model, commandOfRun(run, 'setUser', id));
          const by = { actorId: requireAuthor(run, author.userId), requestId: run.requestId };
          return predictUpdate(model, by, commandOfRun(run, 'updateUser', id), () => hash);
        },
        (decide) =>
          users.update(author, id, (locked: LockedUser) => {
            const changed = change(locked);
            hash = changed.passwordHash ?? hash;
            return decide(changed);
          }),
        (updated: User, expected) => requireUser(model, updated, expected),
        // The password was hashed again after it was checked; the transaction cannot know that it is still the same.
        ({ checkedHash }, code) =>
          code === 'validation_failed' && checkedHash !== undefined && checkedHash !== model.users.get(id)?.hash,
      );
    },

    move: (author, id, divisionId, change) =>
      write(
        simulation,
        'users.move',
        (run) => {
          const command = commandOfRun(run, 'moveUser', id);
          requireSame('the division and the author of a move', [divisionId, author.userId], [command.divisionId, null]);
          return predictMove(model, command);
        },
        (decide) => users.move(author, id, divisionId, (...locked) => decide(change(...locked))),
        (moved, expected) => requireUser(model, moved, expected),
      ),

    // Only the operator ends sessions of others, and no history does.
    endSessions: (author, id, sessionId) => users.endSessions(author, id, sessionId),

    delete: (author, id, permit) =>
      write(
        simulation,
        'users.delete',
        (run) => {
          const by = { actorId: requireAuthor(run, author.userId), requestId: run.requestId };
          return predictDeletion(model, by, commandOfRun(run, 'deleteUser', id));
        },
        (decide) => users.delete(author, id, (locked) => decide(permit(locked))),
        () => {},
      ),
  };
};
