import { type Action, asTarget, type TargetOf, type User } from '@chapter/domain';
import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { findUser } from './find-user.ts';
import { makeListCommand } from './list-command.ts';
import { withUserAlias } from './options.ts';
import { actionOption, checkTarget, targetKindOf } from './policy-action.ts';
import { type OperatorPorts, withPorts } from './with-database.ts';

interface Options {
  readonly action: Action;
  readonly user?: string;
  readonly division?: string;
}

/** A user who may perform the action, and the rule that allows it. */
interface AllowedUser {
  readonly rule: string;
  readonly user: User;
}

/** Reports a missing division as wrong usage. */
const requireDivision = (called: Command): void => {
  const { action, division } = called.opts<Partial<Options>>();
  if (action !== undefined && division === undefined && targetKindOf(action) === 'division') {
    called.error(`error: ${action} concerns a division; name one with --division`);
  }
};

const findTarget = async ({ division, user }: Options, { credentials, divisions }: OperatorPorts): Promise<object> => {
  if (user !== undefined) return asTarget(await findUser(credentials, user));
  return division === undefined ? {} : { divisionId: (await findDivision(divisions, division)).id };
};

/** Makes the `policy who-can` command, which lists the users who may perform an action, rule by rule. Contract §10. */
export const policyWhoCan = (context: CliContext): Command =>
  makeListCommand<AllowedUser>(
    context,
    {
      name: 'who-can',
      description: 'list all active users who may perform an action, once for each rule that allows it',
      examples: [
        ['policy who-can --action updateUser --user ada', 'Who may change ada?'],
        ['policy who-can --action create-user --division North --json', 'Who may create users in North? Print JSON'],
        ['policy who-can --action listDivisions', 'Who is an Administrator?'],
      ],
      options: (command) =>
        withUserAlias(
          command
            .addOption(actionOption())
            .option('--user <user>', 'the user that the action concerns, by name or id')
            .option('--division <division>', 'the division that the action concerns, by name or id'),
        )
          .hook('preAction', requireDivision)
          .hook('preAction', checkTarget),
    },
    {
      columns: ['username', 'division', 'id', 'rule'],
      cellsOf: ({ rule, user: { division, id, username } }) => [username, division, id, rule],
      jsonOf: ({ rule, user: { division, id, username } }) => ({ id, username, division, rule }),
    },
    (options: Options, print) =>
      withPorts(context, async (ports) => {
        const { makeListUsersWhoCan } = await import('@chapter/domain');
        const target = (await findTarget(options, ports)) as TargetOf<Action>;
        await makeListUsersWhoCan(ports)(options.action, target, ({ rule, users }) =>
          print(users.map((user) => ({ rule, user }))),
        );
      }),
  );
