import {
  type Action,
  actorFromClaims,
  actorOf,
  can,
  explain,
  forbiddenFields,
  isOperator,
  makeExplain,
  makeUseCases,
  OPERATOR,
  onUser,
  type PolicyRow,
  policy,
  rules,
  scope,
  type UserTarget,
} from '@chapter/domain/api';
import { aUser, makeWorld, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { targetOf } from '../../../../test-support/proof/states.ts';
import { authorizeFields } from '../../src/policy/fields.ts';
import { refusal } from '../use-cases/setup.ts';

const actions = Object.keys(policy) as Action[];
const target = targetOf('same division') ?? expect.fail('a target in the same division exists');
const properties = { ...OPERATOR };

/** Values that look like the operator. */
const impostors: Readonly<Record<string, unknown>> = {
  'a copy': properties,
  'a clone': structuredClone(OPERATOR),
  'a value from JSON': JSON.parse(JSON.stringify(OPERATOR)),
  'a proxy': new Proxy(OPERATOR, {}),
  'an heir': Object.create(OPERATOR),
  'its name': OPERATOR.name,
  'an array of it': [OPERATOR],
};

/** Claims of a token that name the operator in every way. */
const claims = { sub: null, username: 'operator', groups: ['operator'], is_staff: true, is_superuser: true };

describe('The operator', () => {
  it('is recognised by identity, and immutable', () => {
    expect([isOperator(OPERATOR), Object.isFrozen(OPERATOR)]).to.deep.equal([true, true]);
    for (const [what, value] of Object.entries(impostors)) expect(isOperator(value), what).to.equal(false);
  });

  for (const [what, value] of Object.entries(impostors)) {
    it(`is not ${what}, which has no rights`, async () => {
      const world = makeWorld();
      const { id } = await storeUser(world, aUser());
      const { deleteUser, pruneAudit } = makeUseCases(world);
      for (const action of actions) {
        expect(explain(value as never, action, target).outcome, action).to.equal('unauthenticated');
        expect(can(value as never, action, target)).to.equal(false);
        expect(scope(value as never, action as 'getUser')).to.equal('none');
      }
      expect(forbiddenFields(value as never, target, { isStaff: true, email: null })).to.have.length(2);
      await refusal('invalid_token', () => pruneAudit(value as never, '2026-01-01T00:00:00.000Z'));
      await refusal('invalid_token', () => deleteUser(value as never, id, () => ({ force: true })));
    });
  }

  it('is no user: neither of claims nor a stored one with its name', () => {
    for (const sub of [null, undefined, target.id, 'operator', OPERATOR]) {
      for (const more of [{}, properties, OPERATOR]) {
        const actor = actorFromClaims({ ...claims, division_id: null, sub, ...more });
        expect(isOperator(actor)).to.equal(false);
        expect(can(actor, 'moveUser', target)).to.equal(false);
      }
    }
    expect(actorFromClaims(OPERATOR)).to.equal(null);
    const stored = actorOf(aUser().with({ username: 'operator', isStaff: true }));
    for (const action of ['moveUser', 'eraseUser'] as const) expect(can(stored, action, target)).to.equal(false);
  });

  it('has the right of a row only by the value true, and none by default', () => {
    for (const allowsOperator of [undefined, 1, 'true', {}]) {
      const rows = {
        printBadge: { ...onUser(rules.leader), allowsOperator: allowsOperator as true } as PolicyRow<UserTarget>,
      };
      expect(makeExplain(rows)(OPERATOR, 'printBadge', target)).to.deep.equal({
        outcome: 'forbidden',
        rule: 'a Leader of the division',
        reason: 'only a Leader of the division may do this',
      });
    }
  });

  it('writes fields of a well-formed user only', () => {
    const sent = { email: null, isSuperuser: true, id: target.id, division: target.divisionId, nickname: 'n' };
    const faultsOn = (user: unknown) =>
      forbiddenFields(OPERATOR, user as never, sent).map(({ field, code }) => `${field} ${code}`);
    const unwritable = ['id read_only', 'division field_forbidden', 'nickname unknown_field'];
    expect(faultsOn(target)).to.deep.equal(unwritable);
    expect(faultsOn({ ...target, id: 'x' })).to.have.length(5);
    expect(() => authorizeFields(OPERATOR, target, { isStaff: true })).not.to.throw();
  });
});
