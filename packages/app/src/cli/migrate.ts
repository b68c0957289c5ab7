import type { Command } from 'commander';
import { changeSchema } from '../database/change-schema.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { withDatabase } from './with-database.ts';

const inLines = (names: readonly string[]): string =>
  names.length > 0 ? names.map((name) => `  ${name}\n`).join('') : '  none\n';

/** `migrate`: the schema of the database, up and down. */
export const migrate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'migrate',
      description: 'bring the schema of the database up to date',
      examples: [
        ['migrate', 'Run what is pending'],
        ['migrate --status', 'Show what was run and what is pending; changes nothing'],
        ['migrate --to 0001-users-and-divisions', 'Go up or down until this is the last one that was run'],
      ],
      options: (command) =>
        command
          .option('--status', 'show the state of the schema, and change nothing')
          .option('--to <name>', 'go up or down until this migration is the last one that was run'),
    },
    ({ status, to }: { status?: true; to?: string }) =>
      withDatabase(context, async ({ migrations }) => {
        if (status) {
          const value = await migrations.status();
          const { applied, pending, state } = value;
          const text = `The schema is ${state}.\n\nApplied:\n${inLines(applied)}\nPending:\n${inLines(pending)}`;
          return { value, text };
        }
        if (to !== undefined && !migrations.names.includes(to)) {
          throw new OperatorError(`There is no migration ${to}${didYouMean(to, migrations.names) || '.'}`);
        }
        const run = await changeSchema(() => (to === undefined ? migrations.up() : migrations.to(to)));
        const text = run.length > 0 ? `Run:\n${inLines(run)}` : 'There was nothing to do.\n';
        return { value: { run, ...(await migrations.status()) }, text };
      }),
  );
