import { isDomainError, type UserId } from '@chapter/domain';
import type { Command } from 'commander';
import { OperatorError } from '../errors/operator-error.ts';
import { formatCount } from '../text/format-count.ts';
import { snakeCased } from '../text/snake-case.ts';
import { asOwner } from './as-owner.ts';
import { type Confirmable, confirm, withConfirmation } from './confirm.ts';
import type { CliContext } from './context.ts';
import { findPerson } from './find-person.ts';
import { makeCommand } from './make-command.ts';
import { withForce, withUser } from './options.ts';
import { type OperatorPorts, withPortsOfOwner } from './with-database.ts';

interface Options extends Confirmable {
  readonly user: string;
  readonly force?: true;
}

const questionAbout = async ({ users }: OperatorPorts, id: UserId): Promise<string> => {
  const user = await users.find(id);
  const subject = user
    ? `the user ${user.username} of ${user.division.name} (${id})`
    : `the remaining data of the deleted user ${id}`;
  return `Erase ${subject}? This cannot be undone.`;
};

/** Makes the `users erase` command, which deletes a user and removes all their values. Contract §10. */
export const usersErase = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'erase',
      description: 'delete a user and all their values, including those in the audit trail; only the id remains',
      examples: [
        ['users erase --user ada', 'Ask for confirmation, then erase'],
        ['users erase --user 019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7a8 --yes', 'Erase the remaining data of a deleted user'],
      ],
      options: (command) =>
        withConfirmation(context, withForce(withUser(command, 'the user to erase, who may already be deleted'))),
    },
    (options: Options) =>
      withPortsOfOwner(context, async (ports) => {
        const { makeEraseUser, OPERATOR } = await import('@chapter/domain');
        const id = await findPerson(ports, options.user);
        await confirm(context, options, await questionAbout(ports, id));
        try {
          const erased = await asOwner(() => makeEraseUser(ports)(OPERATOR, id, { force: options.force ?? false }));
          const { auditEntries, counters, sessions, storedResponses } = erased;
          const parts = [
            formatCount(sessions, 'session'),
            `the values of ${formatCount(auditEntries, 'audit entry')}`,
            formatCount(storedResponses, 'stored response'),
            formatCount(counters, 'counter'),
          ];
          const text = `Erased the user ${id}: ${parts.join(', ')}.\nBackups and logs may still contain the user.\n`;
          return { value: snakeCased({ id, ...erased }), text };
        } catch (error) {
          if (!isDomainError(error) || error.code !== 'not_found') throw error;
          throw new OperatorError(`Nothing is stored about a user with the id ${id}.`, error);
        }
      }),
  );
