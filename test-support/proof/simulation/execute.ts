import type { Command } from './commands.ts';
import { formatOutcome, settle } from './difference.ts';
import type { Knowledge } from './generate.ts';
import { judge } from './judge.ts';
import { type CommandResult, makePerform } from './perform.ts';
import type { Simulation } from './ports/call.ts';
import { simulatePorts } from './ports/index.ts';
import { beginRun, type Run } from './run.ts';

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
