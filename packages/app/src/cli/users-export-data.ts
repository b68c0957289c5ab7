import { isDomainError } from '@chapter/domain';
import type { Command } from 'commander';
import { OperatorError } from '../errors/operator-error.ts';
import { snakeCased } from '../text/snake-case.ts';
import type { CliContext } from './context.ts';
import { findPerson } from './find-person.ts';
import { makeCommand } from './make-command.ts';
import { withUser } from './options.ts';
import { withPorts } from './with-database.ts';

/** Makes the `users export-data` command, which prints everything that is stored about a user. Contract §10. */
export const usersExportData = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'export-data',
      description:
        'print everything that is stored about a user as JSON, without hashes, tokens and values of other users',
      examples: [
        ['users export-data --user ada > ada.json', 'Write the data of ada to a file'],
        ['users export-data --user 019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7a8', 'Print the remaining data of a deleted user'],
      ],
      options: (command) => withUser(command, 'the user, who may already be deleted'),
    },
    ({ user }: { user: string }) =>
      withPorts(context, async (ports) => {
        const { makeExportUserData } = await import('@chapter/domain');
        const id = await findPerson(ports, user);
        try {
          const value = snakeCased(await makeExportUserData(ports)(id));
          return { value, text: `${JSON.stringify(value, null, 2)}\n` };
        } catch (error) {
          if (!isDomainError(error) || error.code !== 'not_found') throw error;
          throw new OperatorError(`Nothing is stored about a user with the id ${id}.`, error);
        }
      }),
  );
