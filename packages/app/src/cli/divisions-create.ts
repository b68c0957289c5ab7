import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { formatRecord } from './format.ts';
import { divisionJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { withPorts } from './with-database.ts';

/** Makes the `divisions create` command; the API cannot create divisions. */
export const divisionsCreate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'create',
      description: 'create a division',
      examples: [
        ['divisions create --name North --fanpage https://example.org/north', 'Create a division without a logo'],
      ],
      options: (command) =>
        command
          .requiredOption('--name <name>', 'a unique name of 1 to 150 characters')
          .option('--logo <url>', 'URL of its logo')
          .option('--fanpage <url>', 'URL of its fan page'),
    },
    (fields: { name: string; logo?: string; fanpage?: string }) =>
      withPorts(context, async (ports) => {
        const { makeCreateDivision, OPERATOR } = await import('@chapter/domain');
        const value = divisionJson(await makeCreateDivision(ports)(OPERATOR, { ...fields }));
        return { value, text: formatRecord(value) };
      }),
  );
