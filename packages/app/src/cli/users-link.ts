import { LINK_HOURS } from '@chapter/domain';
import type { Command } from 'commander';
import { snakeCased } from '../text/snake-case.ts';
import type { CliContext } from './context.ts';
import { findUser } from './find-user.ts';
import { formatRecord } from './format.ts';
import { makeCommand } from './make-command.ts';
import { countOption, withUser } from './options.ts';
import { withPorts } from './with-database.ts';

/** `users link`: a password link for any user. See contract §10. */
export const usersLink = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'link',
      description: 'print the token of a password link, with which a user sets a password; it voids an earlier link',
      examples: [
        ['users link --user ada', 'Valid for 72 hours'],
        ['users link --user ada --hours 1', 'Valid for one hour'],
      ],
      options: (command) =>
        withUser(command, 'the user who may set a password').addOption(
          countOption('hours', 'for how many hours it is valid', LINK_HOURS.default, LINK_HOURS.max),
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
