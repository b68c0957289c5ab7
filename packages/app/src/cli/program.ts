import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { audit } from './audit.ts';
import { completion } from './completion.ts';
import type { CliContext } from './context.ts';
import { divisionsCreate } from './divisions-create.ts';
import { divisionsDelete } from './divisions-delete.ts';
import { divisionsList } from './divisions-list.ts';
import { divisionsRename } from './divisions-rename.ts';
import { exportFiles } from './export.ts';
import { importFiles } from './import.ts';
import { keysGenerate } from './keys-generate.ts';
import { keysRotate } from './keys-rotate.ts';
import { makeCommandGroup } from './make-command.ts';
import { migrate } from './migrate.ts';
import { policyCommand } from './policy.ts';
import { seed } from './seed.ts';
import { serve } from './serve.ts';
import { sessionsEnd } from './sessions-end.ts';
import { sessionsList } from './sessions-list.ts';
import { reportUnknownCommands } from './unknown-command.ts';
import { usersCreate } from './users-create.ts';
import { usersDelete } from './users-delete.ts';
import { usersErase } from './users-erase.ts';
import { usersExportData } from './users-export-data.ts';
import { usersLink } from './users-link.ts';
import { usersList } from './users-list.ts';
import { usersMove } from './users-move.ts';
import { usersSet } from './users-set.ts';
import { usersShow } from './users-show.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string };

/** Makes a command and its subcommands throw instead of ending the process, and write through the context. */
const applyContext = (command: Command, context: CliContext): Command => {
  const { colours, writeError, write } = context;
  command.exitOverride().configureOutput({
    writeOut: write,
    writeErr: writeError,
    getOutHasColors: () => colours.out,
    getErrHasColors: () => colours.err,
    outputError: (text) => writeError(colours.err ? styleText('red', text, { validateStream: false }) : text),
  });
  command.configureHelp({
    styleTitle: (text) => styleText('bold', text, { validateStream: false }),
    styleCommandText: (text) => styleText('cyan', text, { validateStream: false }),
    styleSubcommandText: (text) => styleText('cyan', text, { validateStream: false }),
    styleOptionText: (text) => styleText('cyan', text, { validateStream: false }),
  });
  if (command.commands.length > 0) reportUnknownCommands(command);
  for (const subcommand of command.commands) applyContext(subcommand, context);
  return command;
};

/** Makes the command line of the service. Contract §10. */
export const makeProgram = (context: CliContext): Command => {
  const program: Command = new Command('chapter')
    .description('The Chapter Membership Service: the members and divisions of a chapter.')
    .version(version, '--version', 'print the version of this program')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nSettings come from the environment: see the table in README.md.')
    .addCommand(serve(context))
    .addCommand(migrate(context))
    .addCommand(
      makeCommandGroup('divisions', 'create, list, rename and delete divisions', [
        divisionsCreate(context),
        divisionsList(context),
        divisionsRename(context),
        divisionsDelete(context),
      ]),
    )
    .addCommand(
      makeCommandGroup('users', 'create, change, list, move, delete and erase users', [
        usersCreate(context),
        usersSet(context),
        usersList(context),
        usersShow(context),
        usersMove(context),
        usersDelete(context),
        usersLink(context),
        usersExportData(context),
        usersErase(context),
      ]),
    )
    .addCommand(
      makeCommandGroup('sessions', 'list and end the sessions of users', [sessionsList(context), sessionsEnd(context)]),
    )
    .addCommand(importFiles(context))
    .addCommand(exportFiles(context))
    .addCommand(
      makeCommandGroup('keys', 'generate and rotate the signing keys of tokens', [
        keysGenerate(context),
        keysRotate(context),
      ]),
    )
    .addCommand(audit(context))
    .addCommand(policyCommand(context))
    .addCommand(seed(context))
    .addCommand(completion(context, () => program));
  return applyContext(program, context);
};
