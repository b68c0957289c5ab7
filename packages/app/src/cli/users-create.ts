import type { Group } from '@chapter/domain';
import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { formatRecord } from './format.ts';
import { userJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { groupOption } from './options.ts';
import { readPassword } from './read-password.ts';
import { withPorts } from './with-database.ts';

interface Options {
  readonly division: string;
  readonly username: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly birthdate?: string;
  readonly group?: readonly Group[];
  readonly staff?: true;
  readonly superuser?: true;
  /** Always true, because the option is required. */
  readonly passwordStdin: true;
}

/** Makes the `users create` command. Only this command and `users set` can make a user an Administrator. */
export const usersCreate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'create',
      description: 'create a user',
      examples: [
        [
          'users create --division North --username ada --group Leader --password-stdin < password.txt',
          'Create a Leader',
        ],
        ['users create --division North --username root --superuser --password-stdin', 'Create an Administrator'],
      ],
      options: (command) =>
        command
          .requiredOption('--division <division>', 'the division, by name or id')
          .requiredOption('--username <name>', 'the login name: A-Z a-z 0-9 . _ + @ -')
          .requiredOption('--password-stdin', 'read the password from standard input')
          .option('--email <address>', 'a unique email address')
          .option('--first-name <name>', 'at most 150 characters')
          .option('--last-name <name>', 'at most 150 characters')
          .option('--birthdate <date>', 'YYYY-MM-DD')
          .addOption(groupOption('a group; repeat the option for several groups; default: User'))
          .option('--staff', 'set the staff flag, which makes the user an Administrator')
          .option('--superuser', 'set the superuser flag, which makes the user an Administrator'),
    },
    async (options: Options) => {
      const { division, group, passwordStdin: _, staff = false, superuser = false, ...fields } = options;
      const password = await readPassword(context);
      return withPorts(context, async (ports) => {
        const { makeAdmitUser, OPERATOR } = await import('@chapter/domain');
        const sent = { ...fields, password, ...(group ? { groups: group } : {}) };
        const flags = { isStaff: staff, isSuperuser: superuser };
        const { id } = await findDivision(ports.divisions, division);
        const value = userJson(await makeAdmitUser(ports)(OPERATOR, id, sent, flags));
        return { value, text: formatRecord(value) };
      });
    },
  );
