import { readFileSync } from 'node:fs';
import {
  type Action,
  type AnyRule,
  explain,
  fieldRights,
  makeExplain,
  type PolicyRow,
  policy,
  rules,
} from '@chapter/domain';
import { operatorActions, targetKindOf } from '@chapter/domain/api';
import { snakeCase, USER_READ_ONLY } from '@chapter/domain/ports';
import { expect } from 'chai';
import {
  type DecisionCase,
  decisionCases,
  explainCase,
  isAllowedByModel,
  outcomeByModel,
} from '../../../../test-support/proof/decisions.ts';
import { cedarActions, cedarPolicies, contractModel, makeCedarModel } from '../../../../test-support/proof/model.ts';
import { compare } from '../../../../test-support/proof/report.ts';
import { alternativesOf } from '../../src/policy/rules.ts';

/** Actions of every authenticated caller. */
const FOR_ALL = ['listGroups', 'getInfo', 'getOwnUser', 'getPermissions'];
/** Whether the specification states the callers of an action. */
const isSpecified = ({ action, standing }: DecisionCase): boolean =>
  cedarPolicies.specification.includes(`Action::"${action}"`) && standing.status !== 'operator';

const specification = makeCedarModel(cedarPolicies.specification);
const actions = Object.keys(policy);
const cases = decisionCases(actions);
const expected = (one: DecisionCase): string => outcomeByModel(contractModel, one);

/** Describes the first alternative of a rule that allows a case alone. */
const firstAllowing = (one: DecisionCase): string | undefined => {
  const row: PolicyRow<never> = policy[one.action as Action];
  const isAllowedBy = (allows: AnyRule): boolean => {
    const explainBy = makeExplain({ ...policy, [one.action]: { ...row, allows } });
    return explainCase(explainBy, one).outcome === 'allowed';
  };
  return alternativesOf(row.allows).find(isAllowedBy)?.description;
};

describe('The policy, compared with Cedar', function () {
  this.timeout(1_800_000);

  it('has an action in the schema for each row, with the kind of its targets', () => {
    const kinds = { Chapter: 'service', Division: 'division', User: 'user', Session: 'user' };
    for (const action of actions) {
      expect(targetKindOf(action), action).to.equal(kinds[cedarActions[action] as keyof typeof kinds]);
    }
  });

  it('has an action in the schema for each writable field', () => {
    const fields = [...Object.keys(fieldRights), ...USER_READ_ONLY].map((field) => `write ${snakeCase(field)}`);
    const written = Object.keys(cedarActions).filter((action) => action.startsWith('write '));
    // The current password accompanies a password and is not written itself.
    expect(fields.filter((field) => field !== 'write current_password').toSorted()).to.deep.equal(written.toSorted());
  });

  it('decides like the contract model', async () => {
    await compare('decisions compared with the contract in Cedar', 12_000, ({ same }) => {
      for (const one of cases) same(explainCase(explain, one).outcome, expected(one), one);
    });
    const [, claimed = ''] = /its more than ([\d,]+) decisions/.exec(readFileSync('README.md', 'utf8')) ?? [];
    expect(cases.length).to.be.within(Number(claimed.replace(',', '')), 2 * Number(claimed.replace(',', '')));
  });

  it('gives the reason of each decision', () =>
    compare('reasons of decisions', 12_000, ({ same }) => {
      for (const one of cases) {
        const { allows: byUser, allowsOperator = false, canSee }: PolicyRow<never> = policy[one.action as Action];
        const allows = one.standing.status === 'operator' && allowsOperator ? { description: 'the operator' } : byUser;
        const hidden =
          one.relation === 'absent' ? 'the target does not exist' : `only ${canSee.description} may know of the target`;
        const reasons: Readonly<Record<string, string>> = {
          allowed: `${allows === byUser ? firstAllowing(one) : allows.description} may do this`,
          forbidden: `only ${allows.description} may do this`,
          not_found: hidden,
          unauthenticated: 'only an active user may perform actions',
        };
        const { rule, reason } = explainCase(explain, one);
        same({ rule, reason }, { rule: allows.description, reason: reasons[expected(one)] }, one);
      }
    }));

  it('allows what the specification model allows', () =>
    compare('decisions compared with the specification in Cedar', 9000, ({ same }) => {
      for (const one of cases.filter(isSpecified)) {
        same(explainCase(explain, one).outcome === 'allowed', isAllowedByModel(specification, one), one);
      }
    }));

  it('differs from the model for each row that allows or reveals too much or too little', () => {
    const never = Object.assign(() => false, { description: 'no one' });
    const wrong = {
      'allowed to no one': { allows: never },
      'allowed to all': { allows: rules.authenticated },
      'known to no one': { canSee: never },
      'known to all': { canSee: rules.authenticated },
    };
    const undetected = Object.entries<PolicyRow<never>>(policy).flatMap(([action, row]) =>
      Object.entries({ ...wrong, 'with the other right of the operator': { allowsOperator: !row.allowsOperator } })
        .filter(([, change]) => {
          const by = makeExplain<typeof policy>({ ...policy, [action]: { ...row, ...change } });
          return decisionCases([action]).every((one) => explainCase(by, one).outcome === expected(one));
        })
        .map(([change]) => `${action} ${change}`),
    );
    // Undetectable: these rows apply to all callers or to no user, or those who know of the target are allowed anyway.
    expect(undetected).to.deep.equal([
      'getUser known to no one',
      'listDivisions known to all',
      ...FOR_ALL.flatMap((action) => [
        `${action} allowed to all`,
        `${action} known to no one`,
        `${action} known to all`,
      ]),
      'listOwnSessions known to no one',
      'endOwnSession known to no one',
      'createAccessToken known to no one',
      'listAccessTokens known to no one',
      'endAccessToken known to no one',
      ...operatorActions.flatMap((action) =>
        ['allowed to no one']
          .concat(cedarActions[action] === 'Chapter' ? 'known to all' : [])
          .map((change) => `${action} ${change}`),
      ),
    ]);
  });
});
