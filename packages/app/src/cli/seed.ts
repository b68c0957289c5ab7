import type { Command } from 'commander';
import { OperatorError } from '../errors/operator-error.ts';
import { formatCount } from '../text/format-count.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { countOption } from './options.ts';
import { makeProgressBar } from './progress-bar.ts';
import { withPorts } from './with-database.ts';

/** Maximum number of demo members per call. */
const MAX_MEMBERS = 100_000;

/** @throws OperatorError unless the settings select the embedded database. */
const requireEmbeddedDatabase = ({ variables }: CliContext): void => {
  const urlSetting = ['DATABASE_URL', 'DATABASE_URL_FILE'].find((name) => variables[name]);
  const environment = variables['CHAPTER_ENV'] || 'DEV';
  if (urlSetting === undefined && environment !== 'PROD') return;
  const reason = urlSetting === undefined ? `CHAPTER_ENV is ${environment}` : `${urlSetting} is set`;
  throw new OperatorError(`seed adds demo members only to the embedded database, but ${reason}.`);
};

/** Makes the `seed` command, which adds demo members so that lists have several pages. Contract §10. */
export const seed = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'seed',
      description: 'add demo members to the embedded database',
      examples: [
        ['seed --members 200', 'Add members with invented names to North and South; each call adds more'],
        ['seed --members 10000', 'Add enough members to try paging, search and export'],
      ],
      options: (command) =>
        command.addOption(
          countOption(
            'members',
            `number of members, at most ${MAX_MEMBERS}`,
            undefined,
            MAX_MEMBERS,
          ).makeOptionMandatory(),
        ),
    },
    ({ members }: { members: number }) => {
      requireEmbeddedDatabase(context);
      return withPorts(context, async (ports) => {
        const { addDemoMembers } = await import('../database/demo-members.ts');
        const { DEMO_PASSWORD } = await import('../database/demo-data.ts');
        const progress = makeProgressBar(context.terminal);
        try {
          const divisions = await addDemoMembers(ports, members, progress);
          const places = Object.entries(divisions).map(([name, count]) => `${formatCount(count, 'member')} to ${name}`);
          const text = `Added ${places.join(' and ')}. Their password is "${DEMO_PASSWORD}".\n`;
          return { value: { members, divisions }, text };
        } finally {
          progress.end();
        }
      });
    },
  );
