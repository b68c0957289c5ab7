import { OPERATOR, type PersonalToken } from '@chapter/domain/api';
import { snakeCased } from '../../text/text.ts';
import { defineCommand, defineGroup, defineListCommand, recordResult } from '../steps/define-command.ts';
import { findUser, orNotFound } from '../steps/find.ts';
import { instantOption, withUser } from '../steps/options.ts';
import { withPorts } from '../steps/with-database.ts';

const tokenJson = ({ id, name, isReadOnly: readOnly, ...times }: PersonalToken) =>
  snakeCased({ id, name, readOnly, ...times });

const list = defineListCommand({
  name: 'list',
  description: 'list the personal access tokens of a user that have neither ended nor expired, newest first',
  examples: [['tokens list --user ada', 'Show with which tokens scripts act as ada']],
  options: (command) => withUser(command, 'the user whose tokens to list'),
  columns: ['id', 'name', 'read-only', 'created at', 'expires at', 'last used on'],
  instants: ['created at', 'expires at'],
  cellsOf: ({ id, name, isReadOnly, createdAt, expiresAt, lastUsedOn }: PersonalToken) => [
    id,
    name,
    isReadOnly,
    createdAt,
    expiresAt,
    lastUsedOn,
  ],
  jsonOf: tokenJson,
  run: ({ user }: { user: string }, print, context) =>
    withPorts(context, async (ports) =>
      print(await ports.useCases().listAccessTokens(OPERATOR, (await findUser(ports, user)).id)),
    ),
});

interface Creation {
  readonly user: string;
  readonly name: string;
  readonly expiresAt: string;
  readonly readOnly?: boolean;
}

const create = defineCommand({
  name: 'create',
  description: 'create a personal access token, with which a script acts as a user, and print it once',
  examples: [
    [
      'tokens create --user ada --name attendance --expires-at 2026-12-31 --read-only',
      'Let a script read as ada until the end of the year',
    ],
  ],
  options: (command) =>
    withUser(command, 'the user that the script acts as')
      .requiredOption('--name <name>', 'by which to recognize the token')
      .addOption(
        instantOption(
          'expires-at',
          'when the token stops working (ISO 8601), at most 366 days from now',
        ).makeOptionMandatory(),
      )
      .option('--read-only', 'permit only requests that change nothing'),
  run: ({ expiresAt, name, readOnly = false, user }: Creation, context) =>
    withPorts(context, async (ports) => {
      const { id } = await findUser(ports, user);
      const fields = { name, expiresAt, readOnly };
      const { token, ...created } = await ports.useCases().createAccessToken(OPERATOR, id, () => ({ fields }));
      return recordResult({ ...tokenJson(created), token });
    }),
});

const end = defineCommand({
  name: 'end',
  description: 'end a personal access token of a user; it stops working at once',
  examples: [
    ['tokens end --user ada --id 019aa7c4-31c2-7d0a-8f77-90b1d4e2a6c3', 'End a token, by its id in "tokens list"'],
  ],
  options: (command) =>
    withUser(command, 'the user whose token to end').requiredOption('--id <id>', 'the id of the token'),
  run: ({ id: sent, user }: { user: string; id: string }, context) =>
    withPorts(context, async (ports) => {
      const { id: userId, username } = await findUser(ports, user);
      const id = sent.toLowerCase();
      await orNotFound(`${username} has no personal access token with the id ${sent}.`, () =>
        ports.useCases().endAccessToken(OPERATOR, userId, id, () => {}),
      );
      return { value: { id }, text: `Ended the token ${id} of ${username}.\n` };
    }),
});

/** The `tokens` commands. Contract §10. */
export const tokenCommands = defineGroup('tokens', 'list, create and end personal access tokens of users', [
  list,
  create,
  end,
]);
