import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { formatRecord } from './format.ts';
import { divisionJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { withPorts } from './with-database.ts';

/** `divisions create`: a division, for there is no other way to get one. */
export const divisionsCreate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'create',
      description: 'create a division',
      examples: [['divisions create --name North --fanpage https://example.org/north', 'A division without a logo']],
      options: (command) =>
        command
          .requiredOption('--name <name>', 'its name: 1 to 150 characters, like no other')
          .option('--logo <url>', 'where its logo is')
          .option('--fanpage <url>', 'where its fan page is'),
    },
    (fields: { name: string; logo?: string; fanpage?: string }) =>
      withPorts(context, async (ports) => {
        const { makeCreateDivision, OPERATOR } = await import('@chapter/domain');
        const value = divisionJson(await makeCreateDivision(ports)(OPERATOR, { ...fields }));
        return { value, text: formatRecord(value) };
      }),
  );
