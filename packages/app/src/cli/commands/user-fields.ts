import { type Group, LINK_HOURS, OPERATOR, type SentFields, type UserId } from '@chapter/domain/api';
import { browserUrl, isPageAssumed } from '../../config/addresses.ts';
import type { Config } from '../../config/config.ts';
import { snakeCased } from '../../text/text.ts';
import { readPassword } from '../steps/ask.ts';
import type { CliContext } from '../steps/context.ts';
import { defineCommand, recordResult } from '../steps/define-command.ts';
import { findDivision, findUser } from '../steps/find.ts';
import { formatRecord, userJson } from '../steps/format.ts';
import { countOption, flagOption, groupOption, textOrEmptyOption, withForce, withUser } from '../steps/options.ts';
import { type CommandPorts, withPorts } from '../steps/with-database.ts';

/**
 * Creates a password link of the operator, and returns it as the API represents it. Says on standard error what its URL
 * assumes unless a setting names the page or the service.
 */
const createLink = async (
  { useCases }: CommandPorts,
  userId: UserId,
  hours: number,
  { http }: Config,
  { writeError }: CliContext,
): Promise<Readonly<Record<string, unknown>>> => {
  const link = await useCases().createPasswordLink(OPERATOR, userId, () => ({ hours }));
  if (isPageAssumed(http)) {
    const assumption = http.clientsAreLocal
      ? `The URL assumes that the service is at ${browserUrl(http)}: if not, set PUBLIC_URL, or PORT as for the service.`
      : 'The URL begins with a path: put the address of the service before it, or set PUBLIC_URL.';
    writeError(`${assumption}\n`);
  }
  return snakeCased(link);
};

/** Returns the fields that have a value. */
const given = (fields: SentFields): SentFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

interface NewUser {
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

/** The `users create` command. Only this command, `users set` and `import` can make a user an Administrator. */
export const usersCreate = defineCommand({
  name: 'create',
  description: 'create a user',
  examples: [
    ['users create --division North --username ada --group Leader --password-stdin < password.txt', 'Create a Leader'],
    ['users create --division North --username root --superuser --password-stdin', 'Create an Administrator'],
    ['users create --division North --username eve --link', 'Create a user who sets a password by the link'],
  ],
  options: (command) =>
    command
      .requiredOption('--division <division>', 'the division, by name or id')
      .requiredOption('--username <name>', 'the login name: A-Z a-z 0-9 . _ + @ -')
      .option('--password-stdin', 'read the password from standard input; on a terminal, ask for it')
      .option('--link', 'print a password link instead of setting a password')
      .addOption(textOrEmptyOption('--email <address>', 'a unique email address; empty for none'))
      .addOption(textOrEmptyOption('--first-name <name>', 'at most 150 characters'))
      .addOption(textOrEmptyOption('--last-name <name>', 'at most 150 characters'))
      .option('--birthdate <date>', 'YYYY-MM-DD')
      .addOption(groupOption('a group; repeat the option for several groups; default: User'))
      .option('--staff', 'set the staff flag, which makes the user an Administrator')
      .option('--superuser', 'set the superuser flag, which makes the user an Administrator'),
  findFault: ({ link, passwordStdin }: NewUser) =>
    (link === undefined) === (passwordStdin === undefined) ? 'give either --password-stdin or --link' : undefined,
  run: async (options, context) => {
    const { division, email, group, link, passwordStdin, staff = false, superuser = false, ...others } = options;
    const password = passwordStdin && (await readPassword(context));
    const flags = { isStaff: staff, isSuperuser: superuser };
    const fields = given({ ...others, password, email: email || undefined, groups: group, ...flags });
    return withPorts(context, async (ports, config) => {
      const { id } = await findDivision(ports, division);
      const user = await ports.useCases().createUser(OPERATOR, () => ({ fields }), id);
      if (!link) return recordResult(userJson(user));
      const created = await createLink(ports, user.id, LINK_HOURS.default, config, context);
      const { url, ...rest } = created;
      return {
        value: { ...userJson(user), password_link: created },
        text: formatRecord({ url, ...userJson(user), ...rest }),
      };
    });
  },
});

interface Changes {
  readonly user: string;
  readonly email?: string;
  readonly staff?: boolean;
  readonly superuser?: boolean;
  readonly active?: boolean;
  readonly group?: readonly Group[];
  readonly passwordStdin?: true;
  readonly force?: boolean;
}

/** The `users set` command. It also changes fields that the API cannot change, such as the staff flag. */
export const usersSet = defineCommand({
  name: 'set',
  description: 'change the email, the flags, the groups or the password of a user',
  examples: [
    ['users set --user ada --superuser true', 'Make the user an Administrator'],
    ['users set --user ada --group Leader --group User', 'Replace the groups'],
    ['users set --user ada --active false --force', 'Deactivate the user, even the last Leader of a division'],
    ['users set --user ada --password-stdin < password.txt', 'Set a new password, which ends all sessions of the user'],
  ],
  options: (command) =>
    withForce(withUser(command, 'the user to change'))
      .addOption(textOrEmptyOption('--email <address>', 'a unique email address; empty for none'))
      .addOption(flagOption('staff', 'the staff flag; true makes the user an Administrator'))
      .addOption(flagOption('superuser', 'the superuser flag; true makes the user an Administrator'))
      .addOption(flagOption('active', 'whether the user may log in; false ends all sessions'))
      .addOption(groupOption('a group; repeat the option for several groups; replaces all groups of the user'))
      .option('--password-stdin', 'read a new password from standard input; on a terminal, ask for it'),
  findFault: (options: Changes) =>
    Object.keys(options).every((name) => ['user', 'username', 'force'].includes(name))
      ? 'give --email, --staff, --superuser, --active, --group or --password-stdin'
      : undefined,
  run: async ({ active, email, force = false, group, passwordStdin, staff, superuser, user }, context) => {
    const password = passwordStdin && (await readPassword(context));
    const newEmail = email === '' ? null : email;
    const flags = { isStaff: staff, isSuperuser: superuser };
    const fields = given({ email: newEmail, isActive: active, groups: group, password, ...flags });
    return withPorts(context, async (ports) => {
      const { id } = await findUser(ports, user);
      return recordResult(userJson(await ports.useCases().updateUser(OPERATOR, id, () => ({ fields, force }))));
    });
  },
});

/** The `users link` command, which prints a new password link. Contract §10. */
export const usersLink = defineCommand({
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
