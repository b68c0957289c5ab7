import { type Action, type Actor, can, explain, policy, rules, type UserTarget } from '@chapter/domain';
import { expect } from 'chai';
import { actorWithStanding, leader, OWN, standings, targetOf } from '../../../../test-support/proof/states.ts';

const actions = Object.keys(policy) as Action[];
const allowedTo = (actor: Actor | null, target: UserTarget | null) =>
  actions.filter((action) => can(actor, action, target));

/** A value that cannot be turned into a property name. */
const throwing = {
  toString: () => {
    throw new Error('not a name');
  },
};

// `as never` stands for plain JavaScript callers and damaged databases.
describe('The policy with invalid input', () => {
  for (const nowhere of [null, undefined]) {
    it(`gives no actor a right over a target whose division is ${nowhere}`, () => {
      const target = { ...targetOf('same division'), divisionId: nowhere } as never;
      expect(allowedTo(leader, target)).to.deep.equal(['listGroups', 'getInfo', 'getOwnUser', 'getPermissions']);
      expect(explain(leader, 'deleteUser', target).outcome).to.equal('not_found');
    });
  }

  it('gives an actor without a division no right in any division, nor on targets without one', () => {
    const withoutDivision: Actor = { ...leader, groups: ['Leader', 'Guest'], divisionId: null };
    for (const divisionId of [OWN, null]) {
      const target = { ...targetOf('same division'), divisionId } as never;
      expect(allowedTo(withoutDivision, target)).to.deep.equal([
        'listGroups',
        'getInfo',
        'getOwnUser',
        'getPermissions',
      ]);
      expect(explain(withoutDivision, 'getDivision', target).outcome).to.equal('not_found');
    }
  });

  it('denies an action without a row to every actor', () => {
    for (const standing of standings) {
      for (const action of [
        'closeDivision',
        'toString',
        '__proto__',
        '',
        Symbol('a'),
        undefined,
        throwing,
      ] as unknown[]) {
        expect(explain(actorWithStanding(standing), action as Action, targetOf('self'))).to.deep.equal({
          outcome: 'forbidden',
          rule: 'no one',
          reason: 'no rule allows this',
        });
      }
    }
  });

  it('gives an inactive actor no right by a rule that needs no group', () => {
    const inactive: Actor = { ...leader, isActive: false };
    for (const allows of [rules.authenticated, rules.divisionMember]) expect(allows(inactive, leader)).to.equal(false);
  });

  it('treats undefined as a nonexistent target', () => {
    expect(explain(leader, 'deleteUser', undefined as never)).to.deep.equal({
      outcome: 'not_found',
      rule: 'a Leader of the division',
      reason: 'the target does not exist',
    });
  });
});
