import { explain, fieldRights, makeExplain, policy, rules, snakeCase, USER_READ_ONLY } from '@chapter/domain';
import { expect } from 'chai';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import {
  type DecisionCase,
  decisionCases,
  isAllowedByModel,
  outcomeByModel,
  outcomeByRules,
} from '../../../../test-support/authorization/cedar/decisions.ts';
import { cedarActions, cedarPolicies, makeCedarModel } from '../../../../test-support/authorization/cedar/model.ts';
import { shareOf } from '../../../../test-support/share.ts';

/** Actions of every authenticated caller. */
const FOR_ALL = ['listGroups', 'getInfo', 'listOwnSessions'];
/** Actions that the contract adds or whose callers the specification does not state ("Caller restrictions: not shown."). */
const NOT_IN_SPECIFICATION: ReadonlySet<string> = new Set([...FOR_ALL, 'endOwnSession', 'createPasswordLink']);

const contract = makeCedarModel(cedarPolicies.contract);
const specification = makeCedarModel(cedarPolicies.specification);
const actions = Object.keys(policy);
const differences = (cases: readonly DecisionCase[], by = explain, model = contract) =>
  cases
    .map((one) => ({ ...one, expected: outcomeByModel(model, one), outcome: outcomeByRules(by, one) }))
    .filter(({ expected, outcome }) => expected !== outcome);

describe('The policy, compared with Cedar', function () {
  this.timeout(1_800_000);

  it('has an action in the schema for each row', () => {
    expect(Object.keys(cedarActions)).to.include.members(actions);
  });

  it('has an action in the schema for each writable field', () => {
    const fields = [...Object.keys(fieldRights), ...USER_READ_ONLY].map((field) => `write ${snakeCase(field)}`);
    const written = Object.keys(cedarActions).filter((action) => action.startsWith('write '));
    // The current password accompanies a password and is not written itself.
    expect(fields.filter((field) => field !== 'write current_password').toSorted()).to.deep.equal(written.toSorted());
  });

  it('decides like the contract model', () => {
    const cases = shareOf(decisionCases(actions), 31);
    expect(differences(cases).slice(0, 5)).to.deep.equal([]);
    reportCount(cases.length, 'decisions compared with the contract in Cedar');
  });

  it('allows what the specification model allows', () => {
    const cases = shareOf(decisionCases(actions.filter((action) => !NOT_IN_SPECIFICATION.has(action))), 37);
    const wrong = cases.filter(
      (one) => isAllowedByModel(specification, one) !== (outcomeByRules(explain, one) === 'allowed'),
    );
    expect(wrong.slice(0, 5)).to.deep.equal([]);
    reportCount(cases.length, 'decisions compared with the specification in Cedar');
  });

  it('differs from the model for each row that allows or reveals too much or too little', () => {
    const never = Object.assign(() => false, { description: 'no one' });
    const wrong = {
      'allowed to no one': { allows: never },
      'allowed to all': { allows: rules.authenticated },
      'known to no one': { canSee: never },
      'known to all': { canSee: rules.authenticated },
    };
    const undetected = Object.entries(policy).flatMap(([action, row]) =>
      Object.entries(wrong)
        .filter(([, change]) => {
          const by = makeExplain<typeof policy>({ ...policy, [action]: { ...row, ...change } });
          return differences(shareOf(decisionCases([action]), 7), by).length === 0;
        })
        .map(([change]) => `${action} ${change}`),
    );
    // Undetectable: these rows apply to all callers, or those who know of the target are allowed anyway.
    expect(undetected).to.deep.equal([
      'getUser known to no one',
      'listDivisions known to all',
      ...FOR_ALL.flatMap((action) => [
        `${action} allowed to all`,
        `${action} known to no one`,
        `${action} known to all`,
      ]),
      'endOwnSession known to no one',
    ]);
  });
});
