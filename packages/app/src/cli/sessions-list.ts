import type { Command } from 'commander';
import { snakeCased } from '../text/snake-case.ts';
import type { CliContext } from './context.ts';
import { findUser } from './find-user.ts';
import { formatTable } from './format.ts';
import { makeCommand } from './make-command.ts';
import { withUser } from './options.ts';
import { withPorts } from './with-database.ts';

/** Makes the `sessions list` command, which prints the active sessions of a user. Contract §10. */
export const sessionsList = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'list',
      description: 'list the sessions of a user that have neither ended nor expired, newest first',
      examples: [['sessions list --user ada', 'Show where ada is logged in']],
      options: (command) => withUser(command, 'the user whose sessions to list'),
    },
    ({ user }: { user: string }) =>
      withPorts(context, async ({ credentials, sessions }) => {
        const listed = await sessions.list((await findUser(credentials, user)).id);
        const rows = listed.map(({ id, createdAt, refreshedAt, userAgent }) => ({
          id,
          createdAt,
          refreshedAt,
          userAgent,
        }));
        return {
          value: snakeCased(rows),
          text: formatTable(['id', 'created at', 'refreshed at', 'user agent'], rows.map(Object.values)),
        };
      }),
  );
