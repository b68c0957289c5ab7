import type { Grants } from '@chapter/adapters-postgres';
import type { Command } from 'commander';
import { changeSchema, describeWait, formatStatements, grantServingRole } from '../database/change-schema.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { withOwnerDatabase } from './with-database.ts';

interface Options {
  readonly status?: true;
  readonly to?: string;
}

const formatLines = (names: readonly string[]): string =>
  names.length > 0 ? names.map((name) => `  ${name}\n`).join('') : '  none\n';

/** Lists the migrations and grants that were run, and the statements that an administrator must run. */
const report = (run: readonly string[], grants: Grants | undefined): string => {
  const { role = '', granted = [], refused = [] } = grants ?? {};
  const parts = [
    ...(run.length > 0 ? [`Migrations run:\n${formatLines(run)}`] : []),
    ...(granted.length > 0 ? [`Rights changed for ${role}:\n${formatStatements(granted)}`] : []),
    ...(refused.length > 0 ? [`An administrator must run:\n${formatStatements(refused)}`] : []),
  ];
  return parts.join('\n') || 'Nothing to do.\n';
};

/** Makes the `migrate` command, which migrates the schema up or down and grants the rights of the serving role. */
export const migrate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'migrate',
      description: 'bring the schema of the database up to date',
      examples: [
        ['migrate', 'Run the pending migrations'],
        ['migrate --status', 'Show applied and pending migrations without changing anything'],
        ['migrate --to 0001-users-and-divisions', 'Migrate up or down to this migration'],
      ],
      options: (command) =>
        command
          .option('--status', 'show applied and pending migrations without changing anything')
          .option('--to <migration>', 'migrate up or down, so that this migration is the last applied one')
          .hook('preAction', (called) => {
            const { status, to } = called.opts<Options>();
            if (status && to !== undefined) called.error('error: give either --status or --to');
          }),
    },
    ({ status, to }: Options) =>
      withOwnerDatabase(context, async (database, config) => {
        const { migrations } = database;
        if (status) {
          const value = await migrations.status();
          const { applied, pending, state } = value;
          const text = `The schema is ${state}.\n\nApplied:\n${formatLines(applied)}\nPending:\n${formatLines(pending)}`;
          return { value, text };
        }
        if (to !== undefined && !migrations.names.includes(to)) {
          throw new OperatorError(`There is no migration ${to}${didYouMean(to, migrations.names) || '.'}`);
        }
        const reportWait = describeWait((sentence) => context.writeError(`${sentence}.\n`));
        const run = await changeSchema(migrations, () =>
          to === undefined ? migrations.up(reportWait) : migrations.to(to, reportWait),
        );
        const grants = await grantServingRole(database, config);
        const { granted = [], refused = [], role } = grants ?? {};
        const value = { run, granted, refused, ...(await migrations.status()) };
        const text = report(run, grants);
        if (refused.length === 0) return { value, text };
        const fault = `The role ${role} lacks rights or has too many.`;
        const advice = 'Ask an administrator to run the statements, then run "chapter migrate" again.';
        return { value, text, failure: new OperatorError(`${fault} ${advice}`) };
      }),
  );
