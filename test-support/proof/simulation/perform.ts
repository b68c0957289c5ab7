import {
  makeAuthenticate,
  makeUseCases,
  type PasswordLink,
  type Ports,
  type Session,
} from '../../../packages/domain/src/api/index.ts';
import {
  type Actor,
  type ActorDirectory,
  type Division,
  OPERATOR,
  type User,
} from '../../../packages/domain/src/ports/index.ts';
import type { CallerCommand, OperatorCommand } from './commands.ts';
import { Difference } from './difference.ts';
import { call, type Simulation } from './ports/call.ts';
import type { Run } from './run.ts';

/** The result of a command. */
export type CommandResult = Session | User | Division | PasswordLink | undefined;

/** Performs a command through the use cases. */
export type Perform = (run: Run, network: string) => Promise<CommandResult>;

/** Makes a function that calls the use cases with simulated ports. Reading a body takes a turn, after the authorization. */
export const makePerform = (simulation: Simulation, ports: Ports & { readonly actors: ActorDirectory }): Perform => {
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
