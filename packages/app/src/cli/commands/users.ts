import {
  type AuditAction,
  DORMANT_DAYS,
  type Group,
  OPERATOR,
  readSearch,
  type UserActivity,
  type UserId,
  validationFailed,
} from '@chapter/domain/api';
import { formatCount, snakeCased } from '../../text/text.ts';
import { type Confirmable, confirm, findConfirmationFault } from '../steps/ask.ts';
import { defineCommand, defineGroup, defineListCommand, recordResult } from '../steps/define-command.ts';
import { findDivision, findPerson, findUser, noSuchUser, orNotFound } from '../steps/find.ts';
import { activityJson, formatRecord, userJson } from '../steps/format.ts';
import { countOption, groupOption, withForce, withUser, withYes } from '../steps/options.ts';
import { asOwner, type CommandPorts, withPorts, withPortsOfOwner } from '../steps/with-database.ts';
import { usersCreate, usersLink, usersSet } from './user-fields.ts';

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

const nothingStored = (id: UserId): string => `Nothing is stored about a user with the id ${id}.`;

const exportData = defineCommand({
  name: 'export-data',
  description: 'print everything that is stored about a user as JSON, without hashes, tokens and values of other users',
  examples: [
    ['users export-data --user ada > ada.json', 'Write the data of ada to a file'],
    ['users export-data --user 019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7a8', 'Print the remaining data of a deleted user'],
  ],
  options: (command) => withUser(command, 'the user, who may already be deleted'),
  run: ({ user }: { user: string }, context) =>
    withPorts(context, async (ports) => {
      const id = await findPerson(ports, user);
      const data = await orNotFound(nothingStored(id), () => ports.useCases().exportUserData(OPERATOR, id));
      const value = snakeCased(data);
      return { value, text: `${JSON.stringify(value, null, 2)}\n` };
    }),
});

/** How many of the newest entries about a user to search for the deletion. After it, only erasures write more. */
const SEARCHED_ENTRIES = 1000;

/** Describes a person by id, name, whether present or deleted, and since when. */
const describePerson = async ({ audit, users }: CommandPorts, id: UserId): Promise<string> => {
  const user = await users.find(id);
  if (user) {
    const { dateJoined, division, username } = user;
    return formatRecord({ id, username, division, state: `present, joined ${dateJoined}` });
  }
  const entries = await audit.list({ userIds: [id], limit: SEARCHED_ENTRIES });
  const newest = (action: AuditAction) => entries.find((entry) => entry.action === action && entry.targetId === id);
  const deletion = newest('deleteUser') ?? newest('eraseUser');
  const state = deletion ? `deleted ${deletion.at}` : 'not stored, and the audit trail contains no deletion';
  return formatRecord({ id, username: deletion?.changes['username']?.old, state });
};

const erase = defineCommand({
  name: 'erase',
  description: 'delete a user and all their values, including those in the audit trail; only the id remains',
  examples: [
    ['users erase --user ada', 'Ask for confirmation, then erase'],
    ['users erase --user 019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7a8 --yes', 'Erase the remaining data of a deleted user'],
  ],
  options: (command) => withYes(withForce(withUser(command, 'the user to erase, who may already be deleted'))),
  findFault: findConfirmationFault,
  run: ({ force = false, user, ...confirmable }: Confirmable & { user: string; force?: boolean }, context) =>
    withPortsOfOwner(context, async (ports) => {
      const id = await findPerson(ports, user);
      context.writeError(await describePerson(ports, id));
      await confirm(context, confirmable, 'Erase all data of this user? This cannot be undone.');
      const erased = await orNotFound(nothingStored(id), () =>
        asOwner(() => ports.useCases().eraseUser(OPERATOR, id, { force })),
      );
      const { auditEntries, counters, sessions, storedResponses } = erased;
      const parts = [
        formatCount(sessions, 'session'),
        `the values of ${formatCount(auditEntries, 'audit entry')}`,
        formatCount(storedResponses, 'stored response'),
        formatCount(counters, 'counter'),
      ];
      const text = `Erased the user ${id}: ${parts.join(', ')}.\nBackups and logs may still contain the user.\n`;
      return { value: snakeCased({ id, ...erased }), text };
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
  usersLink,
  exportData,
  erase,
]);
