import { DORMANT_DAYS, LINK_HOURS } from '@chapter/domain/api';
import { type Group, OPERATOR, readSearch, type UserActivity, validationFailed } from '@chapter/domain/ports';
import { formatCount } from '../../text/text.ts';
import { type Confirmable, confirm, findConfirmationFault } from '../steps/ask.ts';
import { createLink } from '../steps/create-link.ts';
import { defineCommand, defineGroup, defineListCommand, recordResult } from '../steps/define-command.ts';
import { findDivision, findUser, noSuchUser } from '../steps/find.ts';
import { activityJson, userJson } from '../steps/format.ts';
import { countOption, groupOption, withForce, withUser, withYes } from '../steps/options.ts';
import { type CommandPorts, withPorts } from '../steps/with-database.ts';
import { usersErase, usersExportData } from './user-data.ts';
import { usersCreate, usersSet } from './user-fields.ts';

interface Selection {
  readonly division?: string;
  readonly search?: string;
  readonly dormant?: number;
}

const selectionOf = async ({ division, dormant: dormantDays, search }: Selection, ports: CommandPorts) => {
  const found = search === undefined ? { value: [] } : readSearch(search);
  if ('fault' in found) throw validationFailed([{ field: 'search', ...found.fault }]);
  return {
    words: found.value,
    ...(division === undefined ? {} : { divisionId: (await findDivision(ports, division)).id }),
    ...(dormantDays === undefined ? {} : { dormantDays }),
  };
};

const cellsOf = ({ lastActiveOn, user }: UserActivity) => {
  const { division, email, firstName, groups, isActive, lastName, username } = user;
  return [username, `${firstName} ${lastName}`.trim(), email, division, groups, isActive, lastActiveOn];
};

const list = defineListCommand({
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
          DORMANT_DAYS.max,
        ),
      ),
  columns: ['username', 'name', 'email', 'division', 'groups', 'active', 'last active'],
  cellsOf,
  jsonOf: activityJson,
  run: (selection: Selection, print, context) =>
    withPorts(context, async (ports) => ports.directory.read(await selectionOf(selection, ports), print)),
});

const show = defineCommand({
  name: 'show',
  description: 'show a user, with the day of their last login or refresh, and until when a limit refuses logins',
  examples: [['users show --user ada', 'Show the user ada']],
  options: (command) => withUser(command, 'the user to show'),
  run: ({ user }: { user: string }, context) =>
    withPorts(context, async (ports) => {
      const found = await ports.directory.find((await findUser(ports, user)).id);
      if (!found) throw noSuchUser(user);
      const lockedUntil = await ports.loginLimits.lockedUntil(found.user);
      return recordResult({ ...activityJson(found), login_locked_until: lockedUntil });
    }),
});

const unlock = defineCommand({
  name: 'unlock',
  description:
    'let a user log in again after too many failures of theirs; a network with too many failures stays refused',
  examples: [['users unlock --user ada', 'Clear the failed logins of ada']],
  options: (command) => withUser(command, 'the user to unlock'),
  run: ({ user }: { user: string }, context) =>
    withPorts(context, async (ports) => {
      const { id, username } = await findUser(ports, user);
      const failures = await ports.useCases().unlockUser(OPERATOR, id);
      return {
        value: { id, username, failures },
        text: `Cleared ${formatCount(failures, 'failed login')} of ${username}.\n`,
      };
    }),
});

interface Move {
  readonly user: string;
  readonly division: string;
  readonly group?: readonly Group[];
  readonly force?: boolean;
}

const move = defineCommand({
  name: 'move',
  description: 'move a user to another division; voids their password link, and keeps their sessions',
  examples: [
    ['users move --user ada --division South', 'Ada becomes a member of South, in the group User'],
    ['users move --user ada --division South --group Leader', 'Ada leads South'],
  ],
  options: (command) =>
    withForce(withUser(command, 'the user to move'))
      .requiredOption('--division <division>', 'the new division, by name or id')
      .addOption(groupOption('a group in the new division; repeat the option for several groups; default: User')),
  run: ({ division, force = false, group: groups, user }: Move, context) =>
    withPorts(context, async (ports) => {
      const { id } = await findUser(ports, user);
      const to = await findDivision(ports, division);
      const options = { force, ...(groups ? { groups } : {}) };
      return recordResult(userJson(await ports.useCases().moveUser(OPERATOR, id, to.id, options)));
    }),
});

const remove = defineCommand({
  name: 'delete',
  description: 'delete a user and end their sessions; the audit trail keeps their values',
  examples: [
    ['users delete --user ada', 'Ask for confirmation, then delete'],
    ['users delete --user ada --yes', 'Delete without a question, in a script'],
  ],
  options: (command) => withYes(withForce(withUser(command, 'the user to delete'))),
  findFault: findConfirmationFault,
  run: ({ force = false, user, ...confirmable }: Confirmable & { user: string; force?: boolean }, context) =>
    withPorts(context, async (ports) => {
      const { division, id, username } = await findUser(ports, user);
      await confirm(context, confirmable, `Delete the user ${username} of the division ${division.name}?`);
      await ports.useCases().deleteUser(OPERATOR, id, () => ({ force }));
      return { value: { id, username }, text: `Deleted the user ${username}.\n` };
    }),
});

const link = defineCommand({
  name: 'link',
  description: 'print a new password link, with which a user sets a password; earlier links become void',
  examples: [
    ['users link --user ada', 'Create a link that is valid for 72 hours'],
    ['users link --user ada --hours 1', 'Create a link that is valid for one hour'],
  ],
  options: (command) =>
    withUser(command, 'the user who may set a password').addOption(
      countOption('hours', 'number of hours for which the link is valid', LINK_HOURS.default, LINK_HOURS.max),
    ),
  run: ({ hours, user }: { user: string; hours: number }, context) =>
    withPorts(context, async (ports, config) => {
      const { id } = await findUser(ports, user);
      return recordResult(await createLink(ports, id, hours, config, context));
    }),
});

/** The `users` commands. Contract §10. */
export const userCommands = defineGroup('users', 'create, change, list, move, delete and erase users', [
  usersCreate,
  usersSet,
  list,
  show,
  unlock,
  move,
  remove,
  link,
  usersExportData,
  usersErase,
]);
