import type { Group } from '@chapter/domain';
import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { formatRecord } from './format.ts';
import { userJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { groupOption, textOrEmptyOption } from './options.ts';
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
  readonly passwordStdin?: true;
  readonly link?: true;
}

/** Makes the `users create` command. Only this command, `users set` and `import` can make a user an Administrator. */
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
        ['users create --division North --username eve --link', 'Create a user who sets a password by the link'],
      ],
      options: (command) =>
        command
          .requiredOption('--division <division>', 'the division, by name or id')
          .requiredOption('--username <name>', 'the login name: A-Z a-z 0-9 . _ + @ -')
          .option('--password-stdin', 'read the password from standard input; on a terminal, ask for it')
          .option('--link', 'print the token of a password link instead of setting a password')
          .addOption(textOrEmptyOption('--email <address>', 'a unique email address; empty for none'))
          .addOption(textOrEmptyOption('--first-name <name>', 'at most 150 characters'))
          .addOption(textOrEmptyOption('--last-name <name>', 'at most 150 characters'))
          .option('--birthdate <date>', 'YYYY-MM-DD')
          .addOption(groupOption('a group; repeat the option for several groups; default: User'))
          .option('--staff', 'set the staff flag, which makes the user an Administrator')
          .option('--superuser', 'set the superuser flag, which makes the user an Administrator')
          .hook('preAction', (called) => {
            const { link, passwordStdin } = called.opts<Options>();
            if ((link === undefined) === (passwordStdin === undefined)) {
              called.error('error: give either --password-stdin or --link');
            }
          }),
    },
    async (options: Options) => {
      const { division, email, group, link, passwordStdin: _, staff = false, superuser = false, ...fields } = options;
      const secret = link ? {} : { password: await readPassword(context) };
      return withPorts(context, async (ports) => {
        const { makeCreateUserAsOperator, makeLinkUser, OPERATOR } = await import('@chapter/domain');
        const sent = { ...fields, ...secret, ...(email ? { email } : {}), ...(group ? { groups: group } : {}) };
        const flags = { isStaff: staff, isSuperuser: superuser };
        const { id } = await findDivision(ports.divisions, division);
        const user = await makeCreateUserAsOperator(ports)(OPERATOR, id, sent, flags);
        if (!link) return { value: userJson(user), text: formatRecord(userJson(user)) };
        const { token, expiresAt } = await makeLinkUser(ports)(OPERATOR, user.id);
        const text = formatRecord({ ...userJson(user), token, expires_at: expiresAt });
        return { value: { ...userJson(user), password_link: { token, expires_at: expiresAt } }, text };
      });
    },
  );
