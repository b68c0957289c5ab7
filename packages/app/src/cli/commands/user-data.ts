import { type AuditAction, OPERATOR, type UserId } from '@chapter/domain/api';
import { formatCount, snakeCased } from '../../text/text.ts';
import { type Confirmable, confirm, findConfirmationFault } from '../steps/ask.ts';
import { defineCommand } from '../steps/define-command.ts';
import { findPerson, orNotFound } from '../steps/find.ts';
import { formatRecord } from '../steps/format.ts';
import { withForce, withUser, withYes } from '../steps/options.ts';
import { asOwner, type CommandPorts, withPorts, withPortsOfOwner } from '../steps/with-database.ts';

const nothingStored = (id: UserId): string => `Nothing is stored about a user with the id ${id}.`;

/** The `users export-data` command, which prints everything that is stored about a user. Contract §10. */
export const usersExportData = defineCommand({
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

/** How many of the newest entries about a user to search for the deletion. After it, only erasures write further entries. */
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

/** The `users erase` command, which deletes a user and removes all their values. Contract §10. */
export const usersErase = defineCommand({
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
