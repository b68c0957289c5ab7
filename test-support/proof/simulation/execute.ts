import {
  type Division,
  DomainError,
  makeAuthenticate,
  makeUseCases,
  type PasswordLink,
  type Ports,
  type Session,
  type User,
} from '../../../packages/domain/src/api/index.ts';
import { type Actor, type ActorDirectory, OPERATOR } from '../../../packages/domain/src/ports/index.ts';
import type { CallerCommand, Command, OperatorCommand } from './commands.ts';
import { Difference, formatOutcome, requireSame, type Settled, settle } from './difference.ts';
import type { Knowledge } from './generate.ts';
import type { PredictedCreation } from './model/creations.ts';
import type { Model, ModelDivision, ModelUser } from './model/state.ts';
import { call, type Simulation } from './ports/call.ts';
import { simulatePorts } from './ports/index.ts';
import { beginRun, type Effect, type Run } from './run.ts';
import { requireDivision, requireUser } from './views.ts';

/** The result of a command. */
type CommandResult = Session | User | Division | PasswordLink | undefined;

/** Performs a command through the use cases. */
type Perform = (run: Run, network: string) => Promise<CommandResult>;

/** Makes a function that calls the use cases with simulated ports. Reading a body takes a turn, after the authorization. */
const makePerform = (simulation: Simulation, ports: Ports & { readonly actors: ActorDirectory }): Perform => {
  const useCases = makeUseCases(ports);
  const authenticate = makeAuthenticate(ports);

  const input =
    <T>(run: Run, body: T) =>
    async (): Promise<T> => {
      if (!run.wasAllowed) throw new Difference('a body is read although the policy never allowed the command');
      return call(simulation, 'body', async () => body);
    };

  const performFor = async (actor: Actor, run: Run, command: CallerCommand): Promise<CommandResult> => {
    switch (command.kind) {
      case 'updateUser': {
        const { target, fields, revisions } = command;
        return useCases.updateUser(actor, target, input(run, { fields: { ...fields }, revisions }));
      }
      case 'createUser':
        return useCases.createUser(actor, input(run, { fields: { ...command.fields }, idempotencyKey: command.key }));
      case 'deleteUser':
        return (await useCases.deleteUser(
          actor,
          command.target,
          input(run, { revisions: command.revisions }),
        )) as undefined;
      case 'updateDivision': {
        const { target, fields, revisions } = command;
        return useCases.updateDivision(actor, target, input(run, { fields, revisions }));
      }
      case 'listOwnSessions':
        await useCases.listOwnSessions(actor);
        return undefined;
      case 'endOwnSession':
        return (await useCases.endOwnSession(actor, command.target, input(run, undefined))) as undefined;
      case 'createPasswordLink':
        return useCases.createPasswordLink(actor, command.target, input(run, undefined));
      case 'getUser':
      default:
        return useCases.getUser(actor, command.target);
    }
  };

  const performForOperator = (run: Run, command: OperatorCommand): Promise<CommandResult> => {
    const { target } = command;
    if (command.kind === 'moveUser') return useCases.moveUser(OPERATOR, target, command.divisionId, command);
    if (command.kind === 'linkUser')
      return useCases.createPasswordLink(OPERATOR, target, input(run, { hours: command.hours }));
    const { fields, flags, force } = command;
    return useCases.updateUser(OPERATOR, target, input(run, { fields: { ...fields, ...flags }, force }));
  };

  return async (run, network) => {
    const { command, requestId } = run;
    const origin = { requestId, network };
    if (command.kind === 'logIn') {
      return useCases.logIn({ username: command.username, password: command.password, network, requestId });
    }
    if (command.kind === 'refreshSession') return useCases.refreshSession(command.token);
    if (command.kind === 'endSession') return (await useCases.endSession(command.token)) as undefined;
    if (command.kind === 'redeemPasswordLink') {
      const { token, password } = command;
      const body = () => call(simulation, 'body', async () => ({ fields: { token, password } }));
      return (await useCases.redeemPasswordLink(origin, body)) as undefined;
    }
    if (!('access' in command)) return performForOperator(run, command);
    const caller = await authenticate(command.access);
    return performFor(await caller.readRights(origin, command.kind), run, command);
  };
};

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
const judge = (model: Model, run: Run, outcome: Settled<CommandResult>): void => {
  try {
    if ('error' in outcome) requireRefusal(run, outcome.error);
    else requireResult(model, run, outcome.value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Difference(`${JSON.stringify(run.command)} (${formatOutcome(outcome)}): ${reason}`, { cause: error });
  }
};

/** Runs a command of a client who acts for a user or is the operator. @throws Difference. */
export type Execute = (client: number, userId: string | null, command: Command) => Promise<void>;

/** Shares a result with all clients. */
const learn = (knowledge: Knowledge, { command }: Run, userId: string | null, result: CommandResult): void => {
  if (!result) return;
  if ('token' in result) {
    knowledge.links.push(result.token);
    return;
  }
  if (userId === null) return;
  if ('accessToken' in result) {
    const known = knowledge.tokens.get(userId) ?? { access: [], refresh: [] };
    known.access.push(result.accessToken);
    known.refresh.push(result.refreshToken);
    knowledge.tokens.set(userId, known);
    return;
  }
  knowledge.revisions.set(result.id, result.revision);
  if (command.kind === 'createUser' && !knowledge.userIds.includes(result.id)) knowledge.userIds.push(result.id);
};

/** Makes a function that runs commands and compares each with the model. `runs` gets the current run of each client. */
export const makeExecute = (
  simulation: Simulation,
  knowledge: Knowledge,
  runs: Run[],
  outcomes: Map<string, number>,
): Execute => {
  const { model, trace } = simulation;
  const perform = makePerform(simulation, simulatePorts(simulation));
  let count = 0;
  return async (client, userId, command) => {
    count += 1;
    const run = beginRun(command, `request-${count}`);
    runs[client] = run;
    trace(() => `client ${client} begins ${JSON.stringify(command)}`);
    const outcome = await settle(() => perform(run, `${knowledge.prefix}network-${client}`));
    trace(() => `client ${client} ends with ${formatOutcome(outcome)}`);
    judge(model, run, outcome);
    if ('value' in outcome) learn(knowledge, run, userId, outcome.value);
    const end = `${command.kind} ${'value' in outcome ? 'ok' : formatOutcome(outcome)}`;
    outcomes.set(end, (outcomes.get(end) ?? 0) + 1);
  };
};
