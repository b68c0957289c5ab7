import {
  checkFields,
  checksFor,
  explain,
  type FieldTarget,
  fieldRights,
  forbiddenFields,
  isOperator,
  OPERATOR,
  operatorFields,
  snakeCase,
  USER_READ_ONLY,
  userChangeChecks,
  writableFields,
} from '@chapter/domain/api';
import { expect } from 'chai';
import { PASSWORD } from '../../../../test-support/proof/bodies.ts';
import { type DecisionCase, outcomeByModel } from '../../../../test-support/proof/decisions.ts';
import { contractModel } from '../../../../test-support/proof/model.ts';
import { compare } from '../../../../test-support/proof/report.ts';
import {
  ABSENT,
  actorWithStanding,
  callerWithStanding,
  flagPairs,
  OTHER,
  OWN,
  operatorStanding,
  type Relation,
  type Standing,
  standings,
  type TargetFlags,
  targetOf,
} from '../../../../test-support/proof/states.ts';

const fields = [...Object.keys(fieldRights), ...USER_READ_ONLY];
/** Fields that requests write. The current password only accompanies a password. */
const written = fields.filter((field) => field !== 'currentPassword');
const checks = userChangeChecks({ today: () => '2026-01-01', passwordMinLength: 8 });

/** Returns the outcome of an update of one field, as far as rights decide it. */
const outcomeOf = (standing: Standing, target: FieldTarget, field: string): string => {
  const caller = callerWithStanding(standing);
  const { outcome } = explain(caller, 'updateUser', target);
  if (!caller || outcome !== 'allowed') return outcome;
  const sent = { [field]: target.value };
  const refused = forbiddenFields(caller, target, sent);
  if (refused.some(({ code }) => code === 'field_forbidden')) return `field_forbidden: ${snakeCase(field)}`;
  const { faults } = checkFields(checksFor(isOperator(caller), checks), { fields: sent }, { readOnly: USER_READ_ONLY });
  return faults.some(({ code }) => code === 'read_only')
    ? `validation_failed: ${snakeCase(field)} read_only`
    : 'allowed';
};

/** Returns every caller with every other user as the target of an update. */
const cases: readonly DecisionCase[] = [...standings, operatorStanding].flatMap((standing) => {
  const { isStaff, isSuperuser } = standing;
  const caseOf = (relation: Relation, flags: TargetFlags): DecisionCase[] => [
    { standing, hasDivision: true, action: 'updateUser', relation, flags, groups: [] },
  ];
  const others = (['same division', 'other division'] as const).flatMap((relation) =>
    flagPairs.flatMap((flags) => caseOf(relation, flags)),
  );
  return standing.status === 'operator' ? others : caseOf('self', { isStaff, isSuperuser }).concat(others);
});

describe('Each field of each user', () => {
  it('can be written by exactly the callers that the contract model allows', () =>
    compare('decisions about fields compared with the contract in Cedar', 12_000, ({ same }) => {
      for (const one of cases) {
        for (const field of written) {
          for (const value of field === 'division' ? [OWN, OWN.toUpperCase(), OTHER, ABSENT] : [OWN]) {
            const user = targetOf(one.relation, one.flags) ?? expect.fail();
            const body = { [snakeCase(field)]: value, current_password: PASSWORD };
            const expected = outcomeByModel(contractModel, one, body);
            same(outcomeOf(one.standing, { ...user, value }, field), expected, { ...one, field, value });
          }
        }
      }
    }));

  it('has no right if it is read-only', () => {
    for (const field of USER_READ_ONLY) expect(fieldRights).not.to.have.property(field);
  });

  it('has a right if it has a check, so that no request can write an undecided field', () => {
    expect(Object.keys(checks).toSorted()).to.deep.equal(Object.keys(fieldRights).toSorted());
  });

  it('has no fault for the operator if it is one of the operator’s', () => {
    const sent = Object.fromEntries(operatorFields.map((field) => [field, OWN]));
    const target = targetOf('same division') ?? expect.fail();
    expect(forbiddenFields(OPERATOR, target, sent)).to.deep.equal([]);
  });

  it('is writable if it has no fault with any value', () => {
    for (const { standing, relation, flags } of cases) {
      const [caller, target] = [callerWithStanding(standing), targetOf(relation, flags)];
      if (!caller || !target) continue;
      const isFree = (field: string): boolean =>
        [OWN, OTHER, null].every((value) => forbiddenFields(caller, target, { [field]: value }).length === 0);
      expect(writableFields(caller, target).toSorted()).to.deep.equal(fields.filter(isFree).toSorted());
    }
    expect(writableFields(actorWithStanding(standings[0] ?? expect.fail()), targetOf('self'))).not.to.include(
      'division',
    );
    for (const caller of [null, { ...OPERATOR }]) expect(writableFields(caller, targetOf('self'))).to.deep.equal([]);
    expect([writableFields(OPERATOR, null), writableFields(OPERATOR, {} as never)]).to.deep.equal([[], []]);
  });

  it('cannot be written by callers who may not update the user', () => {
    for (const standing of standings) {
      const actor = actorWithStanding(standing);
      for (const relation of ['same division', 'other division'] as const) {
        const target = targetOf(relation);
        if (!actor || !target || explain(actor, 'updateUser', target).outcome === 'allowed') continue;
        const refused = forbiddenFields(actor, target, Object.fromEntries(fields.map((field) => [field, OWN])));
        if (standing.status === 'active') expect(refused.map(({ field }) => field)).to.deep.equal(fields);
      }
    }
  });
});
