// Writes docs/access.md, the access table, from the rules themselves.
import { writeFileSync } from 'node:fs';
import { describePolicy, inPlainWords, markdownTable, policy, policyTable } from '../packages/domain/src/index.ts';
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
const ANSWERS = { allowed: 'yes', forbidden: '403', not_found: '404', unauthenticated: '401' };

const byRole = (): string => {
  const decisions = decisionsOf(policy, actors, { member });
  const answers = (action: string): readonly string[] =>
    decisions.filter((one) => one.action === action).map(({ decision }) => ANSWERS[decision.outcome]);
  return markdownTable([
    ['Action'].concat(Object.keys(actors)),
    ...Object.keys(policy).map((action) => [inPlainWords(action)].concat(answers(action))),
  ]);
};

/** The document that describes the present rules. */
export const accessDocument = (): string => `# Who may do what

This file is made from the rules in \`packages/domain/src/policy.ts\` by \`npm run docs:access\`; a test fails when the two
differ. \`npm run --silent chapter -- policy\` prints the same tables, and \`chapter policy explain\` a single decision.

What no rule allows is denied. Rights of several groups add up. They are read from the database at every request. Who may
not do a thing is refused (403) where they may know of its target; to all others it does not exist (404). The inactive, the
deleted and those without a valid token may do nothing but what anybody may (401).

${policyTable(describePolicy())}
A password of one's own needs the current password beside it. Nobody is moved from one division to another.

## The same by role

Targets are a division, its users, and the user of the first column, who is in no group. A member of several groups has the
best answer of them all. "List users" and "create user" can be asked for in one's own division only.

${byRole()}`;

if (import.meta.main) writeFileSync(path, accessDocument());
