import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { makeCommand } from './make-command.ts';
import { withPorts } from './with-database.ts';

/** Makes the `divisions delete` command. It deletes no user, so it does not ask for confirmation. */
export const divisionsDelete = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'delete',
      description: 'delete a division that has no users',
      examples: [['divisions delete --division North', 'Delete an empty division']],
      options: (command) => command.requiredOption('--division <division>', 'the division to delete, by name or id'),
    },
    ({ division }: { division: string }) =>
      withPorts(context, async (ports) => {
        const { makeRemoveDivision, OPERATOR } = await import('@chapter/domain');
        const { id, name } = await findDivision(ports.divisions, division);
        await makeRemoveDivision(ports)(OPERATOR, id);
        return { value: { id, name }, text: `Deleted the division ${name}.\n` };
      }),
  );
