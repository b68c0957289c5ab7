import type { DomainErrorCode } from '../../packages/domain/src/index.ts';
import type { Command, Update } from './commands.ts';
import { isOtherCreation, type PredictedCreation } from './model/creations.ts';
import { refusalOfCreation, refusalOnDivision, refusalOnUser } from './model/rights.ts';
import type { Model, ModelUser } from './model/state.ts';
import { refusalOfFields } from './model/users.ts';

/** What became of a port call that changed or answered something. */
export type Effect = 'read' | 'written' | 'started' | 'rotated' | 'ended' | 'moved';

/** A command under way, with what the model has seen of it. */
export interface Run {
  readonly command: Command;
  readonly requestId: string;
  /** The caller as they were when their token was checked. */
  actor: ModelUser | undefined;
  /** Whether there was a moment at which the policy allowed the command. */
  wasAllowed: boolean;
  /** The refusals for which there was a reason at some moment. */
  readonly refusals: Set<DomainErrorCode>;
  /** The last port call that was acknowledged, with what the model says it answers. */
  effect: { readonly of: Effect; readonly expected: unknown } | undefined;
  /** The hash that a current password was checked against. */
  checkedHash: string | undefined;
  /** The earlier creation that a creation is answered with. */
  replayed: PredictedCreation | undefined;
  /** Whether there was a moment at which the earlier creation was that of the same body. */
  wasSameCreation: boolean;
  /** How often a session did not start because its password had been stored anew. */
  missedStarts: number;
  /** Port calls that were made to fail. */
  failures: number;
}

/** A command that begins. */
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

/** How the policy refuses a caller's command at this moment, with the rights that the caller came with. */
const policyRefusal = (model: Model, actor: ModelUser, command: Command): DomainErrorCode | undefined => {
  const { kind } = command;
  if (kind === 'getUser' || kind === 'updateUser' || kind === 'deleteUser') {
    return refusalOnUser(actor, kind, model.users.get(command.target));
  }
  if (kind === 'updateDivision') return refusalOnDivision(actor, command.target);
  return kind === 'createUser' ? refusalOfCreation(actor, actor.divisionId) : undefined;
};

/** Notes which refusals of a command have a reason at this moment. */
export const noteMoment = (model: Model, run: Run): void => {
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
  if (command.kind === 'updateUser') noteFields(model, run, actor, command);
};

const noteFields = ({ users }: Model, { refusals }: Run, actor: ModelUser, command: Update): void => {
  const target = users.get(command.target);
  // A user who was deleted meanwhile has no current password that could be right.
  const isGone = !target && actor.id === command.target && 'password' in command.fields;
  const refusal = target ? refusalOfFields(actor, target, command) : undefined;
  if (isGone) refusals.add('validation_failed');
  if (refusal) refusals.add(refusal);
};
