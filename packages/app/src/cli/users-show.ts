import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findUser, noSuchUser } from './find-user.ts';
import { formatRecord } from './format.ts';
import { activityJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { withUser } from './options.ts';
import { withPorts } from './with-database.ts';

/** Makes the `users show` command. */
export const usersShow = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'show',
      description: 'show a user, with the day of their last login or refresh',
      examples: [['users show --user ada', 'Show the user ada']],
      options: (command) => withUser(command, 'the user to show'),
    },
    ({ user }: { user: string }) =>
      withPorts(context, async ({ credentials, directory }) => {
        const found = await directory.find((await findUser(credentials, user)).id);
        if (!found) throw noSuchUser(user);
        const value = activityJson(found);
        return { value, text: formatRecord(value) };
      }),
  );
