import { type Division, DomainError, type PasswordLink, type User } from '../../../packages/domain/src/api/index.ts';
import type { Command } from './commands.ts';
import { Difference, formatOutcome, requireSame, type Settled } from './difference.ts';
import type { PredictedCreation } from './model/creations.ts';
import type { Model, ModelDivision, ModelUser } from './model/state.ts';
import type { CommandResult } from './perform.ts';
import type { Effect, Run } from './run.ts';
import { requireDivision, requireUser } from './views.ts';

/** The effect that a command must have before it may report success. */
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
  createPasswordLink: 'written',
  redeemPasswordLink: 'written',
  linkUser: 'written',
  setUser: 'written',
  moveUser: 'written',
};

/** How often a login checks the password again before it gives up. */
const MAX_LOGIN_CHECKS = 3;

const requireRefusal = (run: Run, error: unknown): void => {
  if (!(error instanceof DomainError)) throw error;
  const { code } = error;
  const isExpected =
    run.refusals.has(code) ||
    (code === 'unavailable' && run.failures > 0) ||
    (code === 'invalid_credentials' && run.missedStarts === MAX_LOGIN_CHECKS);
  if (!isExpected) throw new Difference(`it ends with ${code}, for which there was no reason in any of its turns`);
};

const requireCreation = ({ replayed, wasSameCreation }: Run, result: User, { user }: PredictedCreation): void => {
  if (replayed && !wasSameCreation) throw new Difference('the response repeats a creation that had another body');
  requireSame('the response', [result.id, result.username, result.groups], [user.id, user.username, user.groups]);
};

const requireResult = (model: Model, run: Run, result: CommandResult): void => {
  const { kind } = run.command;
  const needed = NEEDED[kind];
  if (needed && run.effect?.of !== needed) throw new Difference(`it succeeds without having ${needed}`);
  const expected = run.effect?.expected;
  if (kind === 'getUser' && result !== expected) throw new Difference('the response differs from what was read');
  const revisions = new Map<string, string>();
  // Compares no revision: the port call has compared it already, and the user may have a newer one by now.
  if (kind === 'updateUser' || kind === 'setUser' || kind === 'moveUser') {
    requireUser({ ...model, revisions }, result as User, expected as ModelUser);
  }
  if (kind === 'createUser') requireCreation(run, result as User, expected as PredictedCreation);
  if (kind === 'updateDivision') requireDivision(model, result as Division, expected as ModelDivision);
  if (kind === 'createPasswordLink' || kind === 'linkUser') {
    requireSame('the expiry of a link', Date.parse((result as PasswordLink).expiresAt), expected);
  }
};

/** Compares the outcome of a command with the model. @throws Difference, also for errors that no client may see. */
export const judge = (model: Model, run: Run, outcome: Settled<CommandResult>): void => {
  try {
    if ('error' in outcome) requireRefusal(run, outcome.error);
    else requireResult(model, run, outcome.value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Difference(`${JSON.stringify(run.command)} (${formatOutcome(outcome)}): ${reason}`, { cause: error });
  }
};
