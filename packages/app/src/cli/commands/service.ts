import type { Grants } from '@chapter/adapters-postgres';
import { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { changeSchema, formatStatements, grantServingRole, storeRoleSettings } from '../../database/change-schema.ts';
import { addDemoMembers, DEMO_PASSWORD } from '../../database/demo-data.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { didYouMean, formatCount } from '../../text/text.ts';
import type { CliContext } from '../steps/context.ts';
import { defineCommand, type MakeCommand } from '../steps/define-command.ts';
import { countOption } from '../steps/options.ts';
import { withProgressBar } from '../steps/progress-bar.ts';
import { reportWaitOn, withOwnerDatabase, withPorts } from '../steps/with-database.ts';

/** The `serve` command, which `npm start` runs. */
export const serve: MakeCommand = ({ variables }) =>
  new Command('serve')
    .description('start the API server, as "npm start" does')
    .action(async (_: unknown, command: Command) => {
      // Standard output is the log, which is not one JSON value.
      if (command.optsWithGlobals<{ json?: boolean }>().json) command.error("error: unknown option '--json'");
      const config = readConfig(variables);
      // Other commands need not wait until the HTTP server is loaded.
      const { runService } = await import('../../serve/run.ts');
      await runService(config);
    });

const formatLines = (names: readonly string[]): string =>
  names.length > 0 ? names.map((name) => `  ${name}\n`).join('') : '  none\n';

/** Lists the migrations, grants and settings that were run, and the statements that an administrator must run. */
const report = (run: readonly string[], grants: Grants | undefined, settings: readonly string[]): string => {
  const { role = '', granted = [], refused = [] } = grants ?? {};
  const parts = [
    ...(run.length > 0 ? [`Migrations run:\n${formatLines(run)}`] : []),
    ...(granted.length > 0 ? [`Rights changed for ${role}:\n${formatStatements(granted)}`] : []),
    ...(settings.length > 0 ? [`Settings stored:\n${formatStatements(settings)}`] : []),
    ...(refused.length > 0 ? [`An administrator must run:\n${formatStatements(refused)}`] : []),
  ];
  return parts.join('\n') || 'Nothing to do.\n';
};

/** The `migrate` command, which migrates the schema up or down and grants the rights of the serving role. */
export const migrate = defineCommand({
  name: 'migrate',
  description: 'bring the schema of the database up to date',
  examples: [
    ['migrate', 'Run the pending migrations'],
    ['migrate --status', 'Show applied and pending migrations without changing anything'],
    ['migrate --role-settings', 'Migrate, and prepare the roles for a pooler in transaction mode'],
    ['migrate --to 0001-users-and-divisions', 'Migrate up or down to this migration'],
  ],
  options: (command) =>
    command
      .option('--status', 'show applied and pending migrations without changing anything')
      .option('--to <migration>', 'migrate up or down, so that this migration is the last applied one')
      .option('--role-settings', 'store in the roles what sessions need behind a pooler in transaction mode'),
  findFault: ({ roleSettings, status, to }: { roleSettings?: true; status?: true; to?: string }) => {
    if (status && to !== undefined) return 'give either --status or --to';
    return status && roleSettings ? 'give either --status or --role-settings' : undefined;
  },
  run: ({ roleSettings, status, to }, context) =>
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
      const reportWait = reportWaitOn(context);
      const run = await changeSchema(migrations, () =>
        to === undefined ? migrations.up(reportWait) : migrations.to(to, reportWait),
      );
      const grants = await grantServingRole(database, config);
      const { granted = [], refused = [], role } = grants ?? {};
      const settings = roleSettings && refused.length === 0 ? await storeRoleSettings(database, config) : [];
      const value = { run, granted, refused, settings, ...(await migrations.status()) };
      const text = report(run, grants, settings);
      if (refused.length === 0) return { value, text };
      const fault = `The role ${role} lacks rights or has too many.`;
      const advice = 'Ask an administrator to run the statements, then run "chapter migrate" again.';
      return { value, text, failure: new OperatorError(`${fault} ${advice}`) };
    }),
});

const MAX_MEMBERS = 100_000;

/** @throws OperatorError unless the settings select the embedded database. */
const requireEmbeddedDatabase = ({ variables }: CliContext): void => {
  const urlSetting = ['DATABASE_URL', 'DATABASE_URL_FILE'].find((name) => variables[name]);
  const environment = variables['CHAPTER_ENV'] || 'DEV';
  if (urlSetting === undefined && environment !== 'PROD') return;
  const reason = urlSetting === undefined ? `CHAPTER_ENV is ${environment}` : `${urlSetting} is set`;
  throw new OperatorError(`seed adds demo members only to the embedded database, but ${reason}.`);
};

/** The `seed` command, which adds demo members so that lists have several pages. Contract §10. */
export const seed = defineCommand({
  name: 'seed',
  description: 'add demo members to the embedded database',
  examples: [
    ['seed --members 200', 'Add members with invented names to North and South; each call adds more'],
    ['seed --members 10000', 'Add enough members to try paging, search and export'],
  ],
  options: (command) =>
    command.addOption(
      countOption('members', `number of members, at most ${MAX_MEMBERS}`, undefined, MAX_MEMBERS).makeOptionMandatory(),
    ),
  run: ({ members }: { members: number }, context) => {
    requireEmbeddedDatabase(context);
    return withPorts(context, async (ports) => {
      const divisions = await withProgressBar(context, (progress) => addDemoMembers(ports, members, progress));
      const places = Object.entries(divisions).map(([name, count]) => `${formatCount(count, 'member')} to ${name}`);
      const text = `Added ${places.join(' and ')}. Their password is "${DEMO_PASSWORD}".\n`;
      return { value: { members, divisions }, text };
    });
  },
});
