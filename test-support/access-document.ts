import {
  describePolicy,
  markdownTable,
  operatorActions,
  policy,
  policyTable,
  toPlainWords,
} from '../packages/domain/src/index.ts';
import {
  aDivision,
  aGuest,
  aLeader,
  anAdministrator,
  aUser,
  decisionsOf,
} from '../packages/domain/src/testing/index.ts';

/** The path of the document. */
export const accessDocumentPath = 'docs/access.md';

const division = aDivision();
const member = aUser().of(division).with({ groups: [] });
const actors = {
  'The user themself': member,
  Leader: aLeader().of(division),
  Guest: aGuest().of(division),
  User: aUser().of(division),
  Administrator: anAdministrator().of(division).with({ groups: [] }),
  'Leader of another division': aLeader(),
  'Administrator of another division': anAdministrator().with({ groups: [] }),
};
const STATUS_BY_OUTCOME = { allowed: 'yes', forbidden: '403', not_found: '404', unauthenticated: '401' };

/** Actions whose requests cannot name another division. */
const OWN_DIVISION_ONLY: ReadonlySet<string> = new Set(['listUsers', 'createUser']);

const byRole = (): string => {
  const decisions = decisionsOf(policy, actors, { member });
  const cellsOf = (action: string): readonly string[] =>
    decisions
      .filter((one) => one.action === action)
      .map(({ actor, decision }) =>
        OWN_DIVISION_ONLY.has(action) && actor.includes('another') ? '–' : STATUS_BY_OUTCOME[decision.outcome],
      );
  return markdownTable([
    ['Action'].concat(Object.keys(actors)),
    ...Object.keys(policy)
      .filter((action) => !operatorActions.includes(action))
      .map((action) => [toPlainWords(action)].concat(cellsOf(action))),
  ]);
};

const COMMANDS = [
  ['To', 'Run'],
  ['print the tables', '`npm run --silent chapter -- policy`'],
  ['explain one decision', '`npm run --silent chapter -- policy explain --as USER --action ACTION`'],
  ['list the users who may act on a user', '`npm run --silent chapter -- policy who-can --action ACTION --user USER`'],
  ['write this page after a change of the rules', '`npm run docs:access`'],
];

/** The comparisons of `npm run prove` by part. */
const PROOFS = [
  ['Part', 'What is compared'],
  [
    'Enumeration',
    'Every decision on an action or field, and its reason, with Cedar policies, for every combination of caller and target; every scope of a list with the decisions',
  ],
  [
    'Walk',
    "The rights of a caller with the rights that the caller's groups give, in every state that requests can reach in a small set of divisions and users",
  ],
  [
    'Worlds',
    'The rows of each list with the scope that the rules give, for random divisions, users, callers and requests',
  ],
  [
    'Cedar',
    'The outcome of every request of every caller with the same policies, in process and for a share over HTTP; also for callers who lose rights during a request. Each policy is removed once and widened once: the comparison must find it',
  ],
  [
    'Mutants',
    'Each change that Stryker can make to the rules and use cases: a test must fail, except for the changes that `test-support/proof/mutation/accepted-mutants.ts` lists with reasons',
  ],
  ['Simulation', 'Seeded histories of concurrent requests with failing ports, compared with a sequential model'],
];

/** Returns the document that describes the current rules. */
export const accessDocument = (): string => `# Who may do what

To look up who may do what, use the tables below: [by action](#actions), or [by role](#actions-by-role). They state every right in
the service, for auditors, Leaders and operators.

${markdownTable(COMMANDS)}
The rules are in \`packages/domain/src/policy/policy.ts\`. A test fails if this page and the rules differ.

## Principles

- **Denied by default.** An action is denied unless a rule allows it. Rights of several groups add up. Being an
  Administrator gives the right to list the divisions, and no other.
- **Own division.** A user belongs to exactly one division. The rights of a Leader or a Guest apply to that division and its users
  only. An Administrator also belongs to a division, and has no right in it unless a group gives one.
- **404 or 403.** If the caller can see the target but may not perform the action, the response is 403 and names the missing rule.
  If the caller cannot see the target, the response is 404, with the same headers and body as for an id that does not exist,
  apart from the request id. The last column under [Actions](#actions) shows who can
  see the target.
- **Current rights.** Rights are read from the database on every request, not from the token, and checked again inside the
  transaction that writes, on locked rows. A change of groups, flags or \`is_active\`, a deletion or a new password takes effect
  on the next request.
- **Lists as CSV** require the same rights as the lists: see "list users", "list divisions" and "list division users" below. The
  rights are checked again on the caller's locked row when the export opens, before its first byte.
- **Inactive and deleted users** get 401, except for the public actions. So do requests without a valid token.
- **Fields.** A field that the caller may not write is 403 \`field_forbidden\`. A read-only or unknown field is 422 for all callers
  who may perform the action.
- **The last active Leader** of a division cannot be deleted, deactivated or removed from the group Leader through the API
  (409).
- **The operator** is the caller at the command line, who is no user; no token makes a caller the operator. The column
  "Operator" shows the actions and fields that the operator has on every target. The API has none of the actions that no user
  has. Commands that only read, \`import\`, \`export\` and \`seed\` are no actions: they need access to the database.
- **Malformed input is denied.** An actor or a target with a missing or malformed part has no rights.

## Actions

${policyTable(describePolicy())}
To change their own password, users must send the current one. The API cannot move a user to another division.

## Actions by role

The targets are a division and its users. The user of the first column is in no group. A member of several groups has the rights of
all of them. "List users" and "create user" always apply to the caller's own division.

${byRole()}
## Proofs

\`npm run prove\` prints what it will run, runs all parts below, and prints the number of comparisons and differences of each. It
fails if a part finds a difference or compares less than its minimum. \`npm run prove -- quick\` runs what \`npm test\` runs:
the enumeration in full and the outcomes without such a loss in full, a share of the rest, and no mutants, which \`.ci/run\` runs.

${markdownTable(PROOFS)}
The Cedar model is in \`test-support/proof/\`: one policy for each sentence of the contract and of the specification. It is not
derived from the rules.
`;
