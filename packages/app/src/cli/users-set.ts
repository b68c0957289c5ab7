import type { Group } from '@chapter/domain';
import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findUser } from './find-user.ts';
import { formatRecord } from './format.ts';
import { userJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { flagOption, groupOption, textOrEmptyOption, withForce, withUser } from './options.ts';
import { readPassword } from './read-password.ts';
import { withPorts } from './with-database.ts';

interface Options {
  readonly user: string;
  readonly email?: string;
  readonly staff?: boolean;
  readonly superuser?: boolean;
  readonly active?: boolean;
  readonly group?: readonly Group[];
  readonly passwordStdin?: true;
  readonly force?: boolean;
}

/** Makes the `users set` command. It also changes fields that the API cannot change, such as the staff flag. */
export const usersSet = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'set',
      description: 'change the email, the flags, the groups or the password of a user',
      examples: [
        ['users set --user ada --superuser true', 'Make the user an Administrator'],
        ['users set --user ada --group Leader --group User', 'Replace the groups'],
        ['users set --user ada --active false --force', 'Deactivate the user, even the last Leader of a division'],
        [
          'users set --user ada --password-stdin < password.txt',
          'Set a new password, which ends all sessions of the user',
        ],
      ],
      options: (command) =>
        withForce(withUser(command, 'the user to change'))
          .addOption(textOrEmptyOption('--email <address>', 'a unique email address; empty for none'))
          .addOption(flagOption('staff', 'the staff flag; true makes the user an Administrator'))
          .addOption(flagOption('superuser', 'the superuser flag; true makes the user an Administrator'))
          .addOption(flagOption('active', 'whether the user may log in; false ends all sessions'))
          .addOption(groupOption('a group; repeat the option for several groups; replaces all groups of the user'))
          .option('--password-stdin', 'read a new password from standard input; on a terminal, ask for it'),
    },
    async ({ active, email, force = false, group, passwordStdin, staff, superuser, user: named }: Options) => {
      const sent = {
        ...(email === undefined ? {} : { email: email || null }),
        ...(active === undefined ? {} : { isActive: active }),
        ...(group === undefined ? {} : { groups: group }),
        ...(passwordStdin ? { password: await readPassword(context) } : {}),
      };
      const flags = {
        ...(staff === undefined ? {} : { isStaff: staff }),
        ...(superuser === undefined ? {} : { isSuperuser: superuser }),
      };
      return withPorts(context, async (ports) => {
        const { makeSetUser, OPERATOR } = await import('@chapter/domain');
        const { id } = await findUser(ports.credentials, named);
        const value = userJson(await makeSetUser(ports)(OPERATOR, id, sent, flags, { force }));
        return { value, text: formatRecord(value) };
      });
    },
  );
