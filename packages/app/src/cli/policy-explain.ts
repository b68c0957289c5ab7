import type { Action, Actor, Decision, DivisionId, User } from '@chapter/domain';
import { type Command, InvalidArgumentError } from 'commander';
import { nearest } from '../nearest.ts';
import { OperatorError } from '../operator-error.ts';
import type { CliContext } from './context.ts';
import { findDivision } from './find-division.ts';
import { findUser } from './find-user.ts';
import { leaf } from './leaf.ts';
import { record } from './text.ts';
import { withPorts } from './with-database.ts';

/** What each action is done to. */
const TARGETS: Readonly<Record<Action, 'user' | 'division' | 'service'>> = {
  listUsers: 'division',
  getUser: 'user',
  createUser: 'division',
  updateUser: 'user',
  deleteUser: 'user',
  listDivisions: 'service',
  getDivision: 'division',
  updateDivision: 'division',
  listDivisionUsers: 'division',
  listGroups: 'service',
  getInfo: 'service',
};

const ACTIONS = Object.keys(TARGETS) as Action[];

const action = (text: string): Action => {
  const written = text.replace(/[-_ ]+(\w)/g, (_, letter: string) => letter.toUpperCase());
  const known = ACTIONS.find((name) => name.toLowerCase() === written.toLowerCase());
  if (known) return known;
  const meant = nearest(written, ACTIONS);
  throw new InvalidArgumentError(meant ? `Did you mean ${meant}?` : `It must be one of ${ACTIONS.join(', ')}.`);
};

interface Asked {
  readonly actor: User;
  readonly action: Action;
  readonly user: User | undefined;
  readonly division: DivisionId | undefined;
}

const decide = async ({ action: name, actor, division, user }: Asked): Promise<Decision> => {
  const { actorOf, asTarget, explain } = await import('@chapter/domain');
  // Each action reads from a target only what its kind has.
  const ask = explain as (actor: Actor, action: Action, target: unknown) => Decision;
  if (TARGETS[name] === 'service') return ask(actorOf(actor), name, {});
  if (TARGETS[name] === 'division') return ask(actorOf(actor), name, { divisionId: division ?? actor.division.id });
  if (user === undefined) throw new OperatorError(`${name} is done to a user: say to whom with --user.`);
  return ask(actorOf(actor), name, asTarget(user));
};

/** `policy explain`: one decision, and the rule that made it. */
export const policyExplain = (context: CliContext): Command =>
  leaf(
    context,
    {
      name: 'explain',
      description: 'show whether somebody may do something, and the rule that decides it',
      examples: [
        ['policy explain --as leader --action updateUser --user guest', 'May leader update guest?'],
        ['policy explain --as leader --action get-division', 'May leader read their own division?'],
      ],
      options: (command) =>
        command
          .requiredOption('--as <user>', 'who wants to do it, by name or id')
          .requiredOption('--action <action>', 'what they want to do', action)
          .option('--user <user>', 'to whom, by name or id')
          .option('--division <division>', 'in which division, by name or id; their own where none is given'),
    },
    (options: { as: string; action: Action; user?: string; division?: string }) =>
      withPorts(context, async ({ credentials, divisions }) => {
        const actor = await findUser(credentials, options.as);
        const user = options.user === undefined ? undefined : await findUser(credentials, options.user);
        const division = options.division === undefined ? undefined : await findDivision(divisions, options.division);
        const { outcome, reason, rule } = await decide({ actor, action: options.action, user, division: division?.id });
        const value = { as: actor.username, action: options.action, outcome, rule, reason };
        return { value, text: record(value) };
      }),
  );
