// Writes docs/access.md, the access table, from the rules of the policy.
import { writeFileSync } from 'node:fs';
import { describePolicy, markdownTable, policy, policyTable, toPlainWords } from '../packages/domain/src/index.ts';
import {
  aDivision,
  aGuest,
  aLeader,
  anAdministrator,
  aUser,
  decisionsOf,
} from '../packages/domain/src/testing/index.ts';

export const path = 'docs/access.md';

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
  const answers = (action: string): readonly string[] =>
    decisions
      .filter((one) => one.action === action)
      .map(({ actor, decision }) =>
        OWN_DIVISION_ONLY.has(action) && actor.includes('another') ? '–' : STATUS_BY_OUTCOME[decision.outcome],
      );
  return markdownTable([
    ['Action'].concat(Object.keys(actors)),
    ...Object.keys(policy).map((action) => [toPlainWords(action)].concat(answers(action))),
  ]);
};

/** The comparisons of `npm run prove` by part. */
const PROOFS = [
  ['Part', 'What is compared'],
  [
    'Enumeration',
    'Every action and field for every combination of caller and target, in process and over HTTP, with an oracle that states the specification in another form; every scope of a list with the decisions',
  ],
  [
    'Walk',
    "Every state of a small chapter that can be reached by requests: no sequence of them leads to a right that the caller's groups do not give",
  ],
  ['Worlds', 'Random chapters, callers and requests; the rows of each list with the scope that the rules give'],
  [
    'Cedar',
    'Every decision, field and response with Cedar policies, one for each sentence of the specification, including callers who lose rights during a request',
  ],
  [
    'Mutants',
    'Each change that Stryker can make to the rules and use cases makes a test fail, except for those listed with their reasons in `scripts/mutation/accepted-mutants.ts`',
  ],
  ['Simulation', 'Seeded histories of concurrent requests with failing ports, compared with a sequential model'],
];

/** Returns the document that describes the current rules. */
export const accessDocument = (): string => `# Who may do what

This page states every right in the service: for auditors, and for Leaders and operators who want to know what a member can
see. It is generated from the rules in \`packages/domain/src/policy/policy.ts\` by \`npm run docs:access\`, and a test fails when the
two differ. \`npm run --silent chapter -- policy\` prints the same tables, and \`chapter policy explain\` explains a single
decision.

## Principles

- **What no rule allows is denied.** Rights of several groups add up. Being an Administrator grants the list of divisions and
  nothing else.
- **Own division.** A user belongs to exactly one division. Every right of a Leader or a Guest is about that division and its
  users, so a Leader leads the one division they belong to and no other. An Administrator belongs to a division too, and has
  no right in it unless a group gives one.
- **404 or 403.** If the caller can see the target but may not do this, the response is 403 and names the rule that was not
  met. If the caller cannot see the target, the response is 404, with the same headers and body as for an id that does not
  exist, apart from the request id. The second column of the first table says who can see the target.
- **Current rights.** Rights are read from the database on every request, not from the token, and checked again inside the
  transaction that writes, on locked rows. A change of groups, flags or activity, a deletion or a new password takes effect
  on the next request.
- **Inactive and deleted users** and requests without a valid token get 401 everywhere except for the public actions.
- **Fields.** A field that the caller may not write is 403 \`field_forbidden\`; a read-only or unknown field is 422 for everyone
  who may perform the action.
- **The last active Leader** of a division cannot be deleted, deactivated or taken out of the group Leader through the API
  (409).
- **The operator** at the command line is not bound by these rules. \`is_staff\` and \`is_superuser\` change only there.
- **Malformed input is denied.** An actor or a target with a missing or malformed part has no right.

## Actions

${policyTable(describePolicy())}
To change their own password, users must send the current one. The API cannot move a user to another division.

## Actions by role

The targets are a division, its users, and the user of the first column, who is in no group. A member of several groups has
the rights of all of them. "List users" and "create user" always concern the caller's own division.

${byRole()}
## What is proven, and how

\`npm run prove\` runs everything below, prints one table with the number of comparisons and differences of each part, and
fails if there is a difference or if a part compared nothing. \`npm test\` runs a limited share of each part except the
mutants, which \`.ci/run\` runs.

${markdownTable(PROOFS)}
The oracle is \`test-support/authorization/oracle.ts\`, the Cedar model \`test-support/authorization/cedar/\`. Neither is
derived from the rules.
`;

if (import.meta.main) writeFileSync(path, accessDocument());
