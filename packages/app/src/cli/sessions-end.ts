import type { SessionsToEnd } from '@chapter/domain';
import type { Command } from 'commander';
import { OperatorError } from '../errors/operator-error.ts';
import { formatCount } from '../text/format-count.ts';
import { snakeCased } from '../text/snake-case.ts';
import type { CliContext } from './context.ts';
import { findUser } from './find-user.ts';
import { makeCommand } from './make-command.ts';
import { withUserAlias } from './options.ts';
import { type OperatorPorts, withPorts } from './with-database.ts';

interface Options {
  readonly session?: string;
  readonly user?: string;
}

const findTarget = async ({ session, user = '' }: Options, { credentials }: OperatorPorts): Promise<SessionsToEnd> =>
  session === undefined ? { userId: (await findUser(credentials, user)).id } : { sessionId: session.toLowerCase() };

/** Makes the `sessions end` command, which ends one session, or all sessions of a user. Contract §10. */
export const sessionsEnd = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'end',
      description: 'end a session, or all sessions of a user; their tokens stop working at once',
      examples: [
        ['sessions end --user ada', 'Log ada out everywhere'],
        [
          'sessions end --session 019aa7c3-0d42-7f5b-9a1e-5b8f2c7d4e90',
          'End one session, by its id in "sessions list"',
        ],
      ],
      options: (command) =>
        withUserAlias(
          command
            .option('--session <id>', 'one session, by its id')
            .option('--user <user>', 'all sessions of a user, by name or id'),
        ).hook('preAction', (called) => {
          const { session, user } = called.opts<Options>();
          if ((session === undefined) === (user === undefined)) called.error('error: give either --session or --user');
        }),
    },
    (options: Options) =>
      withPorts(context, async (ports) => {
        const { isDomainError, makeEndSessions, OPERATOR } = await import('@chapter/domain');
        const target = await findTarget(options, ports);
        try {
          const value = await makeEndSessions(ports)(OPERATOR, target);
          return { value: snakeCased(value), text: `Ended ${formatCount(value.ended, 'session')}.\n` };
        } catch (error) {
          if (!('sessionId' in target) || !isDomainError(error) || error.code !== 'not_found') throw error;
          throw new OperatorError(`There is no active session with the id ${options.session}.`);
        }
      }),
  );
