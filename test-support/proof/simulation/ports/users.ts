import {
  type Author,
  DomainError,
  type UserRepository,
  type WrittenUser,
} from '../../../../packages/domain/src/ports/index.ts';
import { isOperation } from '../commands.ts';
import { Difference, requireSame, settle } from '../difference.ts';
import { type PredictedCreation, predictCreation } from '../model/creations.ts';
import { predictMove, predictSetting } from '../model/operator.ts';
import type { ModelUser } from '../model/state.ts';
import { type Predicted, predictDeletion, predictUpdate } from '../model/users.ts';
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
    // The operator may act on every stored user.
    if (isOperation(run.command)) {
      if (found) run.wasAllowed = true;
      else run.refusals.add('not_found');
    }
    run.effect = { of: 'read', expected: found };
    return found;
  };

  /** Records that the response to a creation is an earlier one. */
  const replay = (run: Run, expected: PredictedCreation): void => {
    run.replayed = expected;
    run.effect = { of: 'written', expected };
    // There may be no further turn before the command ends.
    recordPossibleOutcomes(model, run);
  };

  const predict = (run: Run, author: Author, given: Pick<ModelUser, 'id' | 'hash' | 'divisionId'>) => {
    const by = { actorId: requireAuthor(run, author.userId), requestId: run.requestId };
    return predictCreation(model, by, commandOfRun(run, 'createUser'), given, Date.parse(world.clock.now()));
  };

  const predictWrite = (
    run: Run,
    author: Author,
    { divisionId, id }: WrittenUser,
    hash: () => string,
  ): Predicted<ModelUser | undefined> => {
    const { kind } = run.command;
    if (kind === 'setUser') return predictSetting(model, commandOfRun(run, kind, id), hash);
    if (kind === 'moveUser') {
      const command = commandOfRun(run, kind, id);
      requireSame('the division and the author of a move', [divisionId, author.userId], [command.divisionId, null]);
      return predictMove(model, command);
    }
    const by = { actorId: requireAuthor(run, author.userId), requestId: run.requestId };
    return kind === 'deleteUser'
      ? predictDeletion(model, by, commandOfRun(run, kind, id))
      : predictUpdate(model, by, commandOfRun(run, 'updateUser', id), hash);
  };

  return {
    find: (id) => call(simulation, 'users.find', find(id), find(id)),
    list: (divisionId, query) => users.list(divisionId, query),
    listReferences: (divisionId, query) => users.listReferences(divisionId, query),

    checkCreation: (author, user, permit, creation) => {
      const check = async (run: Run) => {
        const predicted = predict(run, author, { id: '', divisionId: run.actor?.divisionId ?? '', hash: '' });
        const outcome = await settle(() => users.checkCreation(author, user, permit, creation));
        if ('error' in outcome) {
          if (!(outcome.error instanceof DomainError)) throw outcome.error;
          requireSame('a refusal', outcome.error.code, 'refusal' in predicted ? predicted.refusal : 'ok');
          run.refusals.add(outcome.error.code);
          throw outcome.error;
        }
        if ('refusal' in predicted) throw new Difference(`the check allows a creation, but not the model`);
        requireSame('an earlier creation', outcome.value?.user.id, predicted.earlier?.user.id);
        // A check that runs again may find that the key has expired.
        Object.assign(run, { replayed: undefined, wasSameCreation: false, effect: undefined });
        if (outcome.value) replay(run, predicted.apply());
        return outcome.value;
      };
      return call(simulation, 'users.checkCreation', check, check);
    },

    create: (author, user, permit, creation) =>
      write(
        simulation,
        'users.create',
        (run) => predict(run, author, { id: user.id, divisionId: user.divisionId, hash: user.passwordHash ?? '' }),
        (decide) => users.create(author, user, (actor) => decide(permit(actor)), creation),
        (created, expected, run) => {
          if ('user' in created) requireUser(model, created.user, expected.earlier ? undefined : expected.user);
          else requireSame('an earlier creation', created.prior.user.id, expected.earlier?.user.id);
          if (expected.earlier) replay(run, expected);
        },
      ),

    write: (author, target, decideOnUser) => {
      let hash = '';
      return write(
        simulation,
        'users.write',
        (run) => predictWrite(run, author, target, () => hash),
        (decide) =>
          users.write(author, target, (locked) => {
            const decided = decideOnUser(locked);
            if (decided !== 'unchanged') hash = decided.passwordHash ?? '';
            return decide(decided);
          }),
        (written, expected) => {
          if (expected) requireUser(model, written, expected);
        },
        // The password was hashed again, and the user changed, after it was checked; the transaction cannot know that it is still the same.
        ({ checkedHash }, code) =>
          code === 'validation_failed' && checkedHash !== undefined && checkedHash !== model.users.get(target.id)?.hash,
      );
    },

    // Only the operator ends sessions of others, and no history does.
    endSessions: (author, id, sessionId) => users.endSessions(author, id, sessionId),
  };
};
