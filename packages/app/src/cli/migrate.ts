import type { Grants } from '@chapter/adapters-postgres';
import type { Command } from 'commander';
import { changeSchema, grantServingRole, inStatements } from '../database/change-schema.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { withOwnerDatabase } from './with-database.ts';

const inLines = (names: readonly string[]): string =>
  names.length > 0 ? names.map((name) => `  ${name}\n`).join('') : '  none\n';

/** Says what was run, and what an administrator has to run. */
const report = (run: readonly string[], grants: Grants | undefined): string => {
  const { role = '', granted = [], refused = [] } = grants ?? {};
  const parts = [
    ...(run.length > 0 ? [`Run:\n${inLines(run)}`] : []),
    ...(granted.length > 0 ? [`Rights of ${role}:\n${inStatements(granted)}`] : []),
    ...(refused.length > 0 ? [`To be run by an administrator:\n${inStatements(refused)}`] : []),
  ];
  return parts.join('\n') || 'There was nothing to do.\n';
};

/** `migrate`: the schema of the database, up and down, and the rights of the role that serves. */
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
      withOwnerDatabase(context, async (database, config) => {
        const { migrations } = database;
        if (status) {
          const value = await migrations.status();
          const { applied, pending, state } = value;
          const text = `The schema is ${state}.\n\nApplied:\n${inLines(applied)}\nPending:\n${inLines(pending)}`;
          return { value, text };
        }
        if (to !== undefined && !migrations.names.includes(to)) {
          throw new OperatorError(`There is no migration ${to}${didYouMean(to, migrations.names) || '.'}`);
        }
        const run = await changeSchema(migrations, () => (to === undefined ? migrations.up() : migrations.to(to)));
        const grants = await grantServingRole(database, config);
        const { granted = [], refused = [], role } = grants ?? {};
        const value = { run, granted, refused, ...(await migrations.status()) };
        const text = report(run, grants);
        if (refused.length === 0) return { value, text };
        const fault = `The role ${role} lacks rights or has too many.`;
        const advice = 'Let an administrator run the statements, then run "chapter migrate" again.';
        return { value, text, failure: new OperatorError(`${fault} ${advice}`) };
      }),
  );
