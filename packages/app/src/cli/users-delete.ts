import type { Command } from 'commander';
import { type Confirmable, confirm, withConfirmation } from './confirm.ts';
import type { CliContext } from './context.ts';
import { findUser } from './find-user.ts';
import { makeCommand } from './make-command.ts';
import { withForce, withUser } from './options.ts';
import { withPorts } from './with-database.ts';

interface Options extends Confirmable {
  readonly user: string;
  readonly force?: boolean;
}

/** Makes the `users delete` command. */
export const usersDelete = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'delete',
      description: 'delete a user and end their sessions; the audit trail keeps their values',
      examples: [
        ['users delete --user ada', 'Ask for confirmation, then delete'],
        ['users delete --user ada --yes', 'Delete without a question, in a script'],
      ],
      options: (command) => withConfirmation(context, withForce(withUser(command, 'the user to delete'))),
    },
    ({ force = false, user, yes }: Options) =>
      withPorts(context, async (ports) => {
        const { makeRemoveUser, OPERATOR } = await import('@chapter/domain');
        const { division, id, username } = await findUser(ports.credentials, user);
        await confirm(context, { yes }, `Delete the user ${username} of the division ${division.name}?`);
        await makeRemoveUser(ports)(OPERATOR, id, { force });
        return { value: { id, username }, text: `Deleted the user ${username}.\n` };
      }),
  );
