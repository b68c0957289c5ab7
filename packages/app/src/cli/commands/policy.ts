import { nearest } from '@chapter/adapters-http/names';
import {
  type Action,
  actorOf,
  asTarget,
  type DivisionId,
  describePolicy,
  explain as explainDecision,
  OPERATOR,
  policy,
  policyTable,
  targetKindOf,
  type User,
} from '@chapter/domain/api';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { snakeCased } from '../../text/text.ts';
import { defineCommand, defineListCommand, recordResult } from '../steps/define-command.ts';
import { findDivision, findUser } from '../steps/find.ts';
import { withUserAlias } from '../steps/options.ts';
import { type CommandPorts, withPorts } from '../steps/with-database.ts';

const ACTIONS = Object.keys(policy) as Action[];

const parseAction = (text: string): Action => {
  const written = text.replace(/[-_ ]+(\w)/g, (_, letter: string) => letter.toUpperCase());
  const known = ACTIONS.find((name) => name.toLowerCase() === written.toLowerCase());
  if (known) return known;
  const meant = nearest(written, ACTIONS);
  throw new InvalidArgumentError(meant ? `Did you mean ${meant}?` : `It must be one of ${ACTIONS.join(', ')}.`);
};

interface Options {
  readonly action: Action;
  readonly user?: string;
  readonly division?: string;
}

/** Adds the options for an action, in any case, with or without hyphens, and for its target. */
const withActionAndTarget = (command: Command, divisionDefault = ''): Command =>
  withUserAlias(
    command
      .addOption(
        new Option('--action <action>', 'the action').choices(ACTIONS).argParser(parseAction).makeOptionMandatory(),
      )
      .option('--user <user>', 'the user that the action concerns, by name or id')
      .option('--division <division>', `the division that the action concerns, by name or id${divisionDefault}`),
  );

/** Returns the fault of a target that does not fit the action. The division may be omitted. */
const findTargetFault = ({ action, division, user }: Options): string | undefined => {
  const kind = targetKindOf(action);
  if (kind === 'user' && user === undefined) return `${action} concerns a user; name one with --user`;
  const surplus = [
    ...(kind !== 'user' && user !== undefined ? ['--user'] : []),
    ...(kind !== 'division' && division !== undefined ? ['--division'] : []),
  ];
  if (surplus.length === 0) return undefined;
  const concern = kind === 'service' ? 'neither a user nor a division' : `a ${kind}`;
  return `${action} concerns ${concern}; remove ${surplus.join(' and ')}`;
};

/** Finds the target; `ownDivision` is that of an action on a division that the options do not name. */
const findTarget = async ({ division, user }: Options, ports: CommandPorts, ownDivision?: DivisionId) => {
  if (user !== undefined) return asTarget(await findUser(ports, user));
  const divisionId = division === undefined ? ownDivision : (await findDivision(ports, division)).id;
  return { divisionId };
};

const explain = defineCommand({
  name: 'explain',
  description: 'show whether a user may perform an action, and which rule decides it',
  examples: [
    ['policy explain --as leader --action updateUser --user guest', 'May leader update guest?'],
    ['policy explain --as leader --action get-division', 'May leader read their own division?'],
  ],
  options: (command) =>
    withActionAndTarget(
      command.requiredOption('--as <user>', 'the acting user, by name or id'),
      '; default: that of the acting user',
    ),
  findFault: findTargetFault,
  run: (options: Options & { as: string }, context) =>
    withPorts(context, async (ports) => {
      const actor = await findUser(ports, options.as);
      const target = await findTarget(options, ports, actor.division.id);
      const { outcome, reason, rule } = explainDecision(actorOf(actor), options.action, target);
      const { outcome: operator } = explainDecision(OPERATOR, options.action, target);
      return recordResult({ as: actor.username, action: options.action, outcome, rule, reason, operator });
    }),
});

const whoCan = defineListCommand({
  name: 'who-can',
  description: 'list all active users who may perform an action, once for each rule that allows it',
  examples: [
    ['policy who-can --action updateUser --user ada', 'Who may change ada?'],
    ['policy who-can --action create-user --division North --json', 'Who may create users in North? Print JSON'],
    ['policy who-can --action listDivisions', 'Who is an Administrator?'],
  ],
  options: withActionAndTarget,
  findFault: (options: Options) =>
    options.division === undefined && targetKindOf(options.action) === 'division'
      ? `${options.action} concerns a division; name one with --division`
      : findTargetFault(options),
  columns: ['username', 'division', 'id', 'rule'],
  cellsOf: ({ rule, user }: { rule: string; user: User }) => [user.username, user.division, user.id, rule],
  jsonOf: ({ rule, user: { division, id, username } }) => ({ id, username, division, rule }),
  run: (options, print, context) =>
    withPorts(context, async (ports) => {
      const target = await findTarget(options, ports);
      const { listUsersWhoCan } = ports.useCases();
      await listUsersWhoCan(OPERATOR, options.action, target, ({ rule, users }) =>
        print(users.map((user) => ({ rule, user }))),
      );
    }),
});

/** The `policy` command, which prints the access table. */
export const policyCommand = defineCommand({
  name: 'policy',
  description: 'show the access table, generated from the policy rules',
  examples: [
    ['policy', 'Show the access table'],
    ['policy explain --as leader --action updateUser --user guest', 'Show one decision and the rule that made it'],
  ],
  subcommands: [explain, whoCan],
  run: () => {
    const described = describePolicy();
    return { value: snakeCased(described), text: policyTable(described) };
  },
});
