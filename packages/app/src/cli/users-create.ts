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
  /** Always there: the command requires it. */
  readonly passwordStdin: true;
}

/** `users create`: a user of any division; Administrators are made here and by `users set` alone. */
export const usersCreate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'create',
      description: 'create a user',
      examples: [
        ['users create --division North --username ada --group Leader --password-stdin < password.txt', 'A Leader'],
        ['users create --division North --username root --superuser --password-stdin', 'An Administrator'],
      ],
      options: (command) =>
        command
          .requiredOption('--division <division>', 'the division, by name or id')
          .requiredOption('--username <name>', 'the login name: A-Z a-z 0-9 . _ + @ -')
          .requiredOption('--password-stdin', 'read the password from standard input')
          .option('--email <address>', 'like no other')
          .option('--first-name <name>', 'at most 150 characters')
          .option('--last-name <name>', 'at most 150 characters')
          .option('--birthdate <date>', 'YYYY-MM-DD')
          .addOption(groupOption('a group, several times for several; User where none is given'))
          .option('--staff', 'an Administrator')
          .option('--superuser', 'an Administrator'),
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
