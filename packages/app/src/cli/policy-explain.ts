import {
  type Action,
  type Actor,
  actorOf,
  asTarget,
  type Decision,
  type DivisionId,
  explain,
  type User,
} from '@chapter/domain';
import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { findUser } from './find-user.ts';
import { formatRecord } from './format.ts';
import { makeCommand } from './make-command.ts';
import { withUserAlias } from './options.ts';
import { actionOption, checkTarget } from './policy-action.ts';
import { withPorts } from './with-database.ts';

interface DecisionInput {
  readonly actor: User;
  readonly action: Action;
  readonly user: User | undefined;
  readonly division: DivisionId | undefined;
}

const decide = ({ action: name, actor, division, user }: DecisionInput): Decision => {
  const explainDecision = explain as (actor: Actor, action: Action, target: unknown) => Decision;
  const target = user === undefined ? { divisionId: division ?? actor.division.id } : asTarget(user);
  return explainDecision(actorOf(actor), name, target);
};

/** Makes the `policy explain` command, which shows one decision and the rule that made it. */
export const policyExplain = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'explain',
      description: 'show whether a user may perform an action, and which rule decides it',
      examples: [
        ['policy explain --as leader --action updateUser --user guest', 'May leader update guest?'],
        ['policy explain --as leader --action get-division', 'May leader read their own division?'],
      ],
      options: (command) =>
        withUserAlias(
          command
            .requiredOption('--as <user>', 'the acting user, by name or id')
            .addOption(actionOption())
            .option('--user <user>', 'the user that the action concerns, by name or id')
            .option(
              '--division <division>',
              'the division that the action concerns, by name or id; default: that of the acting user',
            ),
        ).hook('preAction', checkTarget),
    },
    (options: { as: string; action: Action; user?: string; division?: string }) =>
      withPorts(context, async ({ credentials, divisions }) => {
        const actor = await findUser(credentials, options.as);
        const user = options.user === undefined ? undefined : await findUser(credentials, options.user);
        const division = options.division === undefined ? undefined : await findDivision(divisions, options.division);
        const { outcome, reason, rule } = decide({ actor, action: options.action, user, division: division?.id });
        const value = { as: actor.username, action: options.action, outcome, rule, reason };
        return { value, text: formatRecord(value) };
      }),
  );
