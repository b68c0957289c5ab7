import { LINK_HOURS } from '@chapter/domain';
import type { Command } from 'commander';
import { snakeCased } from '../text/snake-case.ts';
import type { CliContext } from './context.ts';
import { findUser } from './find-user.ts';
import { formatRecord } from './format.ts';
import { makeCommand } from './make-command.ts';
import { countOption, withUser } from './options.ts';
import { withPorts } from './with-database.ts';

/** Makes the `users link` command, which creates a password link for any user. Contract §10. */
export const usersLink = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'link',
      description:
        'print the token of a new password link, which lets a user set a password; earlier links become void',
      examples: [
        ['users link --user ada', 'Create a link that is valid for 72 hours'],
        ['users link --user ada --hours 1', 'Create a link that is valid for one hour'],
      ],
      options: (command) =>
        withUser(command, 'the user who may set a password').addOption(
          countOption('hours', 'number of hours for which the link is valid', LINK_HOURS.default, LINK_HOURS.max),
        ),
    },
    ({ hours, user }: { user: string; hours: number }) =>
      withPorts(context, async (ports) => {
        const { makeLinkUser, OPERATOR } = await import('@chapter/domain');
        const { id } = await findUser(ports.credentials, user);
        const value = snakeCased(await makeLinkUser(ports)(OPERATOR, id, hours)) as Readonly<Record<string, unknown>>;
        return { value, text: formatRecord(value) };
      }),
  );
