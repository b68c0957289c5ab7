import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { formatRecord } from './format.ts';
import { divisionJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { withPorts } from './with-database.ts';

/** Makes the `divisions rename` command. */
export const divisionsRename = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'rename',
      description: 'rename a division',
      examples: [['divisions rename --division North --name Northwest', 'Its users see the new name at once']],
      options: (command) =>
        command
          .requiredOption('--division <division>', 'the division to rename, by name or id')
          .requiredOption('--name <name>', 'a unique name of 1 to 150 characters'),
    },
    ({ division, name }: { division: string; name: string }) =>
      withPorts(context, async (ports) => {
        const { makeRenameDivision, OPERATOR } = await import('@chapter/domain');
        const { id } = await findDivision(ports.divisions, division);
        const value = divisionJson(await makeRenameDivision(ports)(OPERATOR, id, name));
        return { value, text: formatRecord(value) };
      }),
  );
