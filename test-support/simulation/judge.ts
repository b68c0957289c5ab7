import { type Division, DomainError, type User } from '../../packages/domain/src/index.ts';
import type { Command } from './commands.ts';
import { Difference, requireSame, type Settled, shown } from './difference.ts';
import type { PredictedCreation } from './model/creations.ts';
import type { Model, ModelDivision, ModelUser } from './model/state.ts';
import type { Answer } from './perform.ts';
import type { Effect, Run } from './run.ts';
import { requireDivision, requireUser } from './views.ts';

/** What a command must have done before it may report success. */
const NEEDED: Readonly<Record<Command['kind'], Effect | undefined>> = {
  logIn: 'started',
  refreshSession: 'rotated',
  endSession: 'ended',
  getUser: 'read',
  listOwnSessions: 'read',
  endOwnSession: 'ended',
  updateUser: 'written',
  createUser: 'written',
  deleteUser: 'written',
  updateDivision: 'written',
  moveUser: undefined,
};

/** How often a login checks a password anew before it gives up. */
const LOGIN_TRIES = 3;

const requireRefusal = (run: Run, error: unknown): void => {
  if (!(error instanceof DomainError)) throw error;
  const { code } = error;
  const isExpected =
    run.refusals.has(code) ||
    (code === 'unavailable' && run.failures > 0) ||
    (code === 'invalid_credentials' && run.missedStarts === LOGIN_TRIES);
  if (!isExpected) throw new Difference(`it ends with ${code}, for which there was no reason at any moment`);
};

const requireCreation = ({ replayed, wasSameCreation }: Run, answer: User, { user }: PredictedCreation): void => {
  if (replayed && !wasSameCreation) throw new Difference('it is answered with the creation of another body');
  requireSame('the answer', [answer.id, answer.username, answer.groups], [user.id, user.username, user.groups]);
};

const requireAnswer = (model: Model, run: Run, answer: Answer): void => {
  const needed = NEEDED[run.command.kind];
  if (needed && run.effect?.of !== needed) throw new Difference(`it succeeds without having ${needed}`);
  const expected = run.effect?.expected;
  if (run.command.kind === 'getUser' && answer !== expected) throw new Difference('the answer is not what was read');
  const revisions = new Map<string, string>();
  // The revisions that it shows are those of its own moment, which the port call was compared with.
  if (run.command.kind === 'updateUser') requireUser({ ...model, revisions }, answer as User, expected as ModelUser);
  if (run.command.kind === 'createUser') requireCreation(run, answer as User, expected as PredictedCreation);
  if (run.command.kind === 'updateDivision') requireDivision(model, answer as Division, expected as ModelDivision);
};

/** Compares the end of a command with the model. @throws Difference, and what is no end that a client may see. */
export const judge = (model: Model, run: Run, outcome: Settled<Answer>): void => {
  try {
    if ('error' in outcome) requireRefusal(run, outcome.error);
    else requireAnswer(model, run, outcome.value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Difference(`${JSON.stringify(run.command)} (${shown(outcome)}): ${reason}`, { cause: error });
  }
};
