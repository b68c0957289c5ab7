import type { DomainErrorCode } from '../../../packages/domain/src/index.ts';
import type { Command, CommandOf } from './commands.ts';
import { Difference } from './difference.ts';
import { isOtherCreation, type PredictedCreation } from './model/creations.ts';
import { refusalOfCreation, refusalOnDivision, refusalOnUser } from './model/rights.ts';
import type { Model, ModelUser } from './model/state.ts';
import { refusalOfFields } from './model/users.ts';

/** The effect of a port call. */
export type Effect = 'read' | 'written' | 'started' | 'rotated' | 'ended';

/** A running command, with the facts that the model has recorded about it. */
export interface Run {
  readonly command: Command;
  readonly requestId: string;
  /** The caller at the moment at which their token was checked. */
  actor: ModelUser | undefined;
  /** Whether the policy allowed the command in any of its turns. */
  wasAllowed: boolean;
  /** The refusals that had a reason in any turn of the command. A refusal that mixes reads of two turns has none. */
  readonly refusals: Set<DomainErrorCode>;
  /** The last acknowledged port call, with the result that the model expects. */
  effect: { readonly of: Effect; readonly expected: unknown } | undefined;
  /** The hash that a current password was checked against. */
  checkedHash: string | undefined;
  /** The earlier creation that is the response to a creation. */
  replayed: PredictedCreation | undefined;
  /** Whether the earlier creation had the same body in any turn of the command. */
  wasSameCreation: boolean;
  /** How often a session did not start because the user was no longer active or had another hash than the checked one. */
  missedStarts: number;
  /** Port calls that the simulation made fail. */
  failures: number;
}

/** Begins a run of a command. */
export const beginRun = (command: Command, requestId: string): Run => ({
  command,
  requestId,
  actor: undefined,
  wasAllowed: false,
  refusals: new Set(),
  effect: undefined,
  checkedHash: undefined,
  replayed: undefined,
  wasSameCreation: false,
  missedStarts: 0,
  failures: 0,
});

/** Returns how the policy refuses a command at this moment, with the caller's rights from the check of the token. */
const policyRefusal = (model: Model, actor: ModelUser, command: Command): DomainErrorCode | undefined => {
  const { kind } = command;
  if (kind === 'getUser' || kind === 'updateUser' || kind === 'deleteUser' || kind === 'createPasswordLink') {
    return refusalOnUser(actor, kind, model.users.get(command.target));
  }
  if (kind === 'updateDivision') return refusalOnDivision(actor, command.target);
  return kind === 'createUser' ? refusalOfCreation(actor, actor.divisionId) : undefined;
};

/** Records the refusals of a command that have a reason at this moment, or that the policy allows the command. */
export const recordPossibleOutcomes = (model: Model, run: Run): void => {
  const { command, actor, refusals } = run;
  if (command.kind === 'logIn') {
    const name = command.username.toLowerCase();
    const user = [...model.users.values()].find(({ username }) => username.toLowerCase() === name);
    if (!user?.isActive || user.password !== command.password) refusals.add('invalid_credentials');
  }
  if (!actor) return;
  const refusal = policyRefusal(model, actor, command);
  if (refusal) refusals.add(refusal);
  else run.wasAllowed = true;
  if (command.kind === 'createUser' && run.replayed) {
    if (isOtherCreation(run.replayed, command.fields.password)) refusals.add('idempotency_conflict');
    else run.wasSameCreation = true;
  }
  if (command.kind === 'updateUser') recordFieldRefusals(model, run, actor, command);
};

const recordFieldRefusals = (
  { users }: Model,
  { refusals }: Run,
  actor: ModelUser,
  command: CommandOf<'updateUser'>,
): void => {
  const target = users.get(command.target);
  // A user who was deleted in the meantime has no current password, so no value is correct.
  const isGone = !target && actor.id === command.target && 'password' in command.fields;
  const refusal = target ? refusalOfFields(actor, target, command) : undefined;
  if (isGone) refusals.add('validation_failed');
  if (refusal) refusals.add(refusal);
};

/** Returns the id of the caller, who must be the author of a write. @throws Difference. */
export const requireAuthor = ({ actor }: Run, userId: string | null): string => {
  if (!actor || actor.id !== userId) throw new Difference(`${userId} writes for ${actor?.id}`);
  return actor.id;
};

/** Returns the command of a run, which must be of this kind and, if it has one, have this target. @throws Difference. */
export const commandOfRun = <Kind extends Command['kind']>({ command }: Run, kind: Kind, target?: string) => {
  if (command.kind !== kind || ('target' in command && target !== undefined && command.target !== target)) {
    throw new Difference(`${kind} of ${target} for the command ${JSON.stringify(command)}`);
  }
  return command as Extract<Command, { kind: Kind }>;
};
