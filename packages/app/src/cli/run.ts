import { styleText } from 'node:util';
import { Command, CommanderError } from 'commander';
import { Interrupted } from '../system/signals.ts';
import { version } from '../system/version.ts';
import { auditCommand } from './commands/audit.ts';
import { makeCompletion } from './commands/completion.ts';
import { divisionCommands } from './commands/divisions.ts';
import { doctor } from './commands/doctor.ts';
import { exportFiles } from './commands/export.ts';
import { importFiles } from './commands/import.ts';
import { keyCommands } from './commands/keys.ts';
import { policyCommand } from './commands/policy.ts';
import { migrate, seed, serve } from './commands/service.ts';
import { sessionCommands } from './commands/sessions.ts';
import { statisticsCommand } from './commands/statistics.ts';
import { tokenCommands } from './commands/tokens.ts';
import { userCommands } from './commands/users.ts';
import { errorText } from './error-text.ts';
import type { CliContext } from './steps/context.ts';

type Style = Parameters<typeof styleText>[0];

const styled =
  (style: Style) =>
  (text: string): string =>
    styleText(style, text, { validateStream: false });

/** Makes a command and its subcommands throw instead of ending the process, and write through the context. */
const applyContext = (command: Command, context: CliContext): Command => {
  const { colours, writeError, write } = context;
  command.exitOverride().configureOutput({
    writeOut: write,
    writeErr: writeError,
    getOutHasColors: () => colours.out,
    getErrHasColors: () => colours.err,
    outputError: (text) => writeError(colours.err ? styled('red')(text) : text),
  });
  command.configureHelp({
    styleTitle: styled('bold'),
    styleCommandText: styled('cyan'),
    styleSubcommandText: styled('cyan'),
    styleOptionText: styled('cyan'),
  });
  for (const subcommand of command.commands) applyContext(subcommand, context);
  return command;
};

/** Makes the command line of the service. Contract §10. */
export const makeProgram = (context: CliContext): Command => {
  const program = new Command('chapter')
    .description('The Chapter Membership Service: the members and divisions of a chapter.')
    .version(version, '--version', 'print the version of this program')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nSettings come from the environment: see docs/settings.md.');
  const completion = makeCompletion(() => program);
  for (const makeCommand of [
    serve,
    migrate,
    doctor,
    divisionCommands,
    userCommands,
    sessionCommands,
    statisticsCommand,
    tokenCommands,
    importFiles,
    exportFiles,
    keyCommands,
    auditCommand,
    policyCommand,
    seed,
    completion,
  ]) {
    program.addCommand(makeCommand(context));
  }
  return applyContext(program, context);
};

/** Exit statuses. Contract §10. */
const EXIT_STATUS = { done: 0, fault: 1, usage: 2 } as const;

/** Runs the command and returns its exit status: 1 for a fault, 2 for wrong usage, over 128 for a signal. */
export const runCli = async (args: readonly string[], context: CliContext): Promise<number> => {
  const program = makeProgram(context);
  try {
    // Commander's command `help` does not find subcommands.
    const called = args[0] === 'help' && args.length > 2 ? [...args.slice(1), '--help'] : args;
    await program.parseAsync(called, { from: 'user' });
    return EXIT_STATUS.done;
  } catch (error) {
    // Commander has already written the error or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_STATUS.done : EXIT_STATUS.usage;
    const text = errorText(error);
    context.writeError(`${context.colours.err ? styled('red')(text) : text}\n`);
    return error instanceof Interrupted ? error.status : EXIT_STATUS.fault;
  }
};
