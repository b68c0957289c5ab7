import type { Group } from '@chapter/domain';
import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { findUser } from './find-user.ts';
import { formatRecord } from './format.ts';
import { userJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { groupOption, withForce, withUser } from './options.ts';
import { withPorts } from './with-database.ts';

interface Options {
  readonly user: string;
  readonly division: string;
  readonly group?: readonly Group[];
  readonly force?: boolean;
}

/** Makes the `users move` command. */
export const usersMove = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'move',
      description: 'move a user to another division; voids their password link, and keeps their sessions',
      examples: [
        ['users move --user ada --division South', 'Ada becomes a member of South, in the group User'],
        ['users move --user ada --division South --group Leader', 'Ada leads South'],
      ],
      options: (command) =>
        withForce(withUser(command, 'the user to move'))
          .requiredOption('--division <division>', 'the new division, by name or id')
          .addOption(groupOption('a group in the new division; repeat the option for several groups; default: User')),
    },
    ({ division, force = false, group: groups, user }: Options) =>
      withPorts(context, async (ports) => {
        const { makeMoveUser, OPERATOR } = await import('@chapter/domain');
        const { id } = await findUser(ports.credentials, user);
        const to = await findDivision(ports.divisions, division);
        const options = { force, ...(groups ? { groups } : {}) };
        const value = userJson(await makeMoveUser(ports)(OPERATOR, id, to.id, options));
        return { value, text: formatRecord(value) };
      }),
  );
