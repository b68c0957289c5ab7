import type { Command } from 'commander';
import { OperatorError } from '../errors/operator-error.ts';
import { formatCount } from '../text/format-count.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { countOption } from './options.ts';
import { makeProgressBar } from './progress-bar.ts';
import { withPorts } from './with-database.ts';

/** Demo members that one call adds at most. */
const MAX_MEMBERS = 100_000;

/** @throws OperatorError unless the settings lead to the embedded database. */
const requireEmbeddedDatabase = ({ variables }: CliContext): void => {
  const other = ['DATABASE_URL', 'DATABASE_URL_FILE'].find((name) => variables[name]);
  const environment = variables['CHAPTER_ENV'] || 'DEV';
  if (other === undefined && environment !== 'PROD') return;
  const reason = other === undefined ? `CHAPTER_ENV is ${environment}` : `${other} is set`;
  throw new OperatorError(`seed adds demo members to the embedded database only, and ${reason}.`);
};

/** `seed`: demo members for the embedded database, so that lists have more than one page. Contract §10. */
export const seed = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'seed',
      description: 'add demo members to the embedded database',
      examples: [
        ['seed --members 200', 'Members with invented names in North and South; run again, it adds more'],
        ['seed --members 10000', 'Enough to try paging, search and export'],
      ],
      options: (command) =>
        command.addOption(
          countOption('members', `how many, at most ${MAX_MEMBERS}`, undefined, MAX_MEMBERS).makeOptionMandatory(),
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
