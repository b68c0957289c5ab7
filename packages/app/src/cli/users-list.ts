import type { UserActivity, UserSelection } from '@chapter/domain';
import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { activityJson } from './json.ts';
import { makeListCommand } from './list-command.ts';
import { countOption } from './options.ts';
import { type OperatorPorts, withPorts } from './with-database.ts';

/** The largest number of days that `--dormant` accepts: a hundred years. */
const MAX_DORMANT_DAYS = 36_525;

interface Options {
  readonly division?: string;
  readonly search?: string;
  readonly dormant?: number;
}

const selectionOf = async (
  { division, dormant: dormantDays, search }: Options,
  { divisions }: OperatorPorts,
): Promise<UserSelection> => {
  const { readSearch, validationFailed } = await import('@chapter/domain');
  const found = search === undefined ? { value: [] } : readSearch(search);
  if ('fault' in found) throw validationFailed([{ field: 'search', ...found.fault }]);
  return {
    words: found.value,
    ...(division === undefined ? {} : { divisionId: (await findDivision(divisions, division)).id }),
    ...(dormantDays === undefined ? {} : { dormantDays }),
  };
};

const cellsOf = ({ lastActiveOn, user }: UserActivity) => {
  const { division, email, firstName, groups, isActive, lastName, username } = user;
  return [username, `${firstName} ${lastName}`.trim(), email, division, groups, isActive, lastActiveOn];
};

/** Makes the `users list` command, which prints users in batches, so that their number is not limited by memory. */
export const usersList = (context: CliContext): Command =>
  makeListCommand<UserActivity>(
    context,
    {
      name: 'list',
      description: 'list users, ordered by username, with the day of their last login or refresh',
      examples: [
        ['users list --division North --search "ada love"', 'Search a division for names and emails'],
        ['users list --dormant 365 --json', 'Print users without a login or refresh for a year, as JSON'],
      ],
      options: (command) =>
        command
          .option('--division <division>', 'only users of this division, by name or id')
          .option('--search <words>', 'only users with all of these words in username, names or email')
          .addOption(
            countOption(
              'dormant',
              'only users without a login or refresh for this many days; those who never logged in count from the day they joined',
              undefined,
              MAX_DORMANT_DAYS,
            ),
          ),
    },
    {
      columns: ['username', 'name', 'email', 'division', 'groups', 'active', 'last active'],
      cellsOf,
      jsonOf: activityJson,
    },
    (options: Options, print) =>
      withPorts(context, async (ports) => ports.directory.read(await selectionOf(options, ports), print)),
  );
