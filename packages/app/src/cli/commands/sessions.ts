import { OPERATOR, type StoredSession } from '@chapter/domain/ports';
import { formatCount, snakeCased } from '../../text/text.ts';
import { defineCommand, defineGroup, defineListCommand } from '../steps/define-command.ts';
import { findUser, orNotFound } from '../steps/find.ts';
import { withUser, withUserAlias } from '../steps/options.ts';
import { withPorts } from '../steps/with-database.ts';

const list = defineListCommand({
  name: 'list',
  description: 'list the sessions of a user that have neither ended nor expired, newest first',
  examples: [['sessions list --user ada', 'Show where ada is logged in']],
  options: (command) => withUser(command, 'the user whose sessions to list'),
  columns: ['id', 'created at', 'refreshed at', 'user agent'],
  instants: ['created at', 'refreshed at'],
  cellsOf: ({ id, createdAt, refreshedAt, userAgent }: StoredSession) => [id, createdAt, refreshedAt, userAgent],
  jsonOf: ({ id, createdAt, refreshedAt, userAgent }) => snakeCased({ id, createdAt, refreshedAt, userAgent }),
  run: ({ user }: { user: string }, print, context) =>
    withPorts(context, async (ports) => print(await ports.sessions.list((await findUser(ports, user)).id))),
});

const end = defineCommand({
  name: 'end',
  description: 'end a session, or all sessions of a user; their tokens stop working at once',
  examples: [
    ['sessions end --user ada', 'Log ada out everywhere'],
    ['sessions end --session 019aa7c3-0d42-7f5b-9a1e-5b8f2c7d4e90', 'End one session, by its id in "sessions list"'],
  ],
  options: (command) =>
    withUserAlias(
      command
        .option('--session <id>', 'one session, by its id')
        .option('--user <user>', 'all sessions of a user, by name or id'),
    ),
  findFault: ({ session, user }: { session?: string; user?: string }) =>
    (session === undefined) === (user === undefined) ? 'give either --session or --user' : undefined,
  run: ({ session, user = '' }, context) =>
    withPorts(context, async (ports) => {
      const { endSessions } = ports.useCases();
      const value =
        session === undefined
          ? await endSessions(OPERATOR, { userId: (await findUser(ports, user)).id })
          : await orNotFound(`There is no active session with the id ${session}.`, () =>
              endSessions(OPERATOR, { sessionId: session.toLowerCase() }),
            );
      return { value: snakeCased(value), text: `Ended ${formatCount(value.ended, 'session')}.\n` };
    }),
});

/** The `sessions` commands. Contract §10. */
export const sessionCommands = defineGroup('sessions', 'list and end the sessions of users', [list, end]);
