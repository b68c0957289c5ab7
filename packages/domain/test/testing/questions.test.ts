import { readFileSync } from 'node:fs';
import {
  type FieldTarget,
  fieldRights,
  forbiddenFields,
  isUuid,
  makeExplain,
  OPERATOR,
  onUser,
  operatorFields,
  orOperator,
  type Policy,
  parseUuid,
  policy,
  type Rule,
  restrict,
  rule,
  rules,
  scopedRule,
  targetTypes,
  type UserTarget,
  where,
} from '@chapter/domain/api';
import {
  aGuest,
  aLeader,
  alwaysAllows,
  alwaysDenies,
  aUser,
  decisionDiff,
  disjoint,
  equivalent,
  fieldRows,
  implies,
  whoCan,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { expectReproduced, shown } from './examples.ts';

const whole: Policy = { ...policy, ...fieldRows(targetTypes.user, fieldRights, operatorFields) };

const anyLeader = scopedRule('a Leader', {}, ({ groups }) => groups.includes('Leader'));
/** The policy without the condition that a deleted user is of the Leader's division. */
const changed: Policy = { ...policy, deleteUser: orOperator(onUser(anyLeader)) };

describe('The questions about a policy in which a rule has lost a condition', () => {
  it('say who gains what', () => {
    const diff = decisionDiff(policy, changed);
    expect(shown(diff)).to.deep.equal([
      'deleteUser: a user in Leader; id other.id, divisionId not caller.divisionId: not_found → allowed',
      'deleteUser: a user in Leader; id caller.id, divisionId not caller.divisionId: forbidden → allowed',
    ]);
    expect(diff[0]?.code).to.equal(
      [
        'const caller = aLeader();',
        'const other = aUser();',
        "explain(caller, 'deleteUser', { id: other.id, divisionId: other.divisionId });",
      ].join('\n'),
    );
    for (const one of diff) expectReproduced(one, policy, changed);
    for (const one of decisionDiff(changed, policy)) expectReproduced(one, changed, policy);
  });

  it('are described in the README, with what they print', () => {
    const readme = readFileSync('packages/domain/README.md', 'utf8');
    const [found] = decisionDiff(policy, changed);
    expect(readme.replace(/\s+/g, ' ')).to.include(found?.who).and.include(found?.code.replace(/\s+/g, ' '));
    const questions = { decisionDiff, equivalent, implies, disjoint, alwaysAllows, alwaysDenies, whoCan, fieldRows };
    for (const name of Object.keys(questions)) expect(readme).to.include(`| \`${name}(`);
  });

  it('each find an example whose printed code reproduces it', () => {
    const [row, wide] = [{ x: policy.deleteUser }, { x: onUser(anyLeader) }];
    const narrow = {
      x: onUser(restrict(anyLeader, 'elsewhere', (actor, user: UserTarget) => actor.divisionId !== user.divisionId)),
    };
    expectReproduced(equivalent(policy, changed), policy, changed);
    expect(implies(policy, changed)).to.equal(null);
    expectReproduced(implies(changed, policy), changed, policy);
    expect(disjoint(row, narrow)).to.equal(null);
    expectReproduced(disjoint(wide, narrow), wide, narrow);
    const sees = scopedRule('anyone', {});
    const [all, without] = [
      { x: onUser(sees) },
      { x: onUser(where(sees, 'their own division', { divisionId: { actor: 'divisionId' } })) },
    ];
    expect([alwaysAllows(all), alwaysDenies({ x: onUser(rules.noUser) })]).to.deep.equal([null, null]);
    expectReproduced(alwaysAllows(without), without);
    expectReproduced(alwaysDenies(narrow), narrow);
    expect(shown(whoCan(changed, 'deleteUser'))).to.deep.equal([
      'deleteUser: a user in Leader: allowed',
      'deleteUser: the operator: allowed',
    ]);
    for (const one of whoCan(changed, 'deleteUser')) expectReproduced(one, changed);
  });
});

describe('The questions about the policy of the service', () => {
  it('say that it is equivalent to itself, in less than 90,000 decisions with the rights of fields', () => {
    let decisions = 0;
    const counted = (readTarget: Policy[string]['readTarget']) => {
      const count = (target: never) => {
        decisions += 1;
        return readTarget(target);
      };
      return Object.assign(count, readTarget);
    };
    const rows = Object.entries(whole).map(([action, one]) => [
      action,
      { ...one, readTarget: counted(one.readTarget) },
    ]);
    expect(equivalent(Object.fromEntries(rows) as Policy, {})).to.not.equal(null);
    // Both policies read the target.
    expect(decisions / 2).to.be.within(40_000, 90_000);
    expect(equivalent(whole, whole)).to.equal(null);
  });

  it('say who can do what, in the words of the access table', () => {
    expect(shown(whoCan(policy, 'getUser'))).to.deep.equal([
      'getUser: a user; id caller.id: allowed',
      'getUser: a user in Guest; divisionId caller.divisionId: allowed',
      'getUser: a user in Leader; divisionId caller.divisionId: allowed',
    ]);
    expect(shown(whoCan(policy, 'createPasswordLink'))).to.have.members([
      'createPasswordLink: a user in Leader; id not caller.id, divisionId caller.divisionId, isStaff false, isSuperuser false: allowed',
      'createPasswordLink: a user in Leader with isSuperuser; id not caller.id, divisionId caller.divisionId: allowed',
      'createPasswordLink: a user in Leader with isStaff; id not caller.id, divisionId caller.divisionId: allowed',
      'createPasswordLink: the operator: allowed',
    ]);
    expect(whoCan(policy, 'toString')).to.deep.equal([]);
    for (const action of Object.keys(whole)) for (const one of whoCan(whole, action)) expectReproduced(one, whole);
  });

  it('know the rights of fields as they are applied', () => {
    const decide = makeExplain(whole);
    const north = { id: aUser().divisionId as string, name: 'North' };
    const people = [
      aLeader().of(north),
      aLeader().of(north).with({ isStaff: true }),
      aUser().of(north),
      aGuest(),
      OPERATOR,
    ];
    for (const caller of people) {
      for (const target of [
        aUser().of(north),
        aUser().with({ isStaff: true }).of(north),
        people[2] as UserTarget,
        aUser(),
      ]) {
        for (const field of Object.keys(fieldRights)) {
          for (const value of [undefined, null, north.id, 'no id']) {
            const isRefused = forbiddenFields(caller, target, { [field]: value }).length > 0;
            const { outcome } = decide(caller as never, `write ${field}`, { ...target, value } as never);
            expect(outcome, field).to.equal(isRefused ? 'forbidden' : 'allowed');
          }
        }
      }
    }
    const lost = fieldRows(targetTypes.user, { ...fieldRights, email: rules.leader }, operatorFields);
    expect(shown(decisionDiff(whole, { ...whole, ...lost }))).to.deep.equal([
      'write email: a user; id caller.id, divisionId not caller.divisionId: allowed → forbidden',
      'write email: a user not in Leader; id caller.id: allowed → forbidden',
    ]);
    const { description } = fieldRights.division;
    const raw = rule(description, (actor, field: FieldTarget) => {
      const isId = typeof field.value === 'string' && isUuid(field.value);
      const isKept = field.value !== undefined && (!isId || field.value === field.divisionId);
      return isKept && (actor.id === field.id || (rules.leader as Rule<FieldTarget>)(actor, field));
    });
    const onlyIds = rule(description, (actor, field: FieldTarget) => {
      const isText = typeof field.value === 'string' && parseUuid(field.value) === undefined;
      return !isText && fieldRights.division(actor, field);
    });
    for (const division of [raw, onlyIds]) {
      const other = { ...whole, ...fieldRows(targetTypes.user, { ...fieldRights, division }, operatorFields) };
      const diff = decisionDiff(whole, other);
      expect(diff.length).to.be.at.least(1);
      for (const one of diff) expectReproduced(one, whole, other);
    }
  });
});
