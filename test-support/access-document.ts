import { operatorActions } from '../packages/domain/src/api/index.ts';
import { describePolicy, policy, policyTable } from '../packages/domain/src/index.ts';
import { markdownTable, toPlainWords } from '../packages/domain/src/policy/describe-policy.ts';
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

const tables = { actions: () => policyTable(describePolicy()), roles: byRole };

/** Returns the document with the tables of the current rules between its marks, which name them. */
export const withCurrentTables = (document: string): string =>
  document.replaceAll(
    /(?<=<!-- (actions|roles):.*\n)[^]*?(?=<!-- end -->)/g,
    (_, name: keyof typeof tables) => `\n${tables[name]()}\n`,
  );
