import {
  type Action,
  type Actor,
  can,
  explain,
  makeExplain,
  onUser,
  policy,
  rules,
  type UserTarget,
} from '@chapter/domain';
import { expect } from 'chai';
import {
  actorWithStanding,
  leader,
  OTHER,
  OWN,
  standings,
  targetOf,
} from '../../../../test-support/authorization/states.ts';

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
      expect(allowedTo(leader, target)).to.deep.equal(['listGroups', 'getInfo', 'listOwnSessions']);
      expect(explain(leader, 'deleteUser', target).outcome).to.equal('not_found');
    });
  }

  it('gives an actor without a division no right in any division, nor on targets without one', () => {
    const withoutDivision: Actor = { ...leader, groups: ['Leader', 'Guest'], divisionId: null };
    for (const divisionId of [OWN, null]) {
      const target = { ...targetOf('same division'), divisionId } as never;
      expect(allowedTo(withoutDivision, target)).to.deep.equal(['listGroups', 'getInfo', 'listOwnSessions']);
      expect(explain(withoutDivision, 'getDivision', target).outcome).to.equal('not_found');
    }
  });

  it('denies an action without a row to every actor', () => {
    for (const standing of standings) {
      for (const action of [
        'deleteDivision',
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

  it('treats undefined as a nonexistent target', () => {
    expect(explain(leader, 'deleteUser', undefined as never)).to.deep.equal({
      outcome: 'not_found',
      rule: 'a Leader of the division',
      reason: 'the target does not exist',
    });
  });
});

describe('An explanation', () => {
  it('names the rule that allows', () => {
    expect(explain(leader, 'createUser', { divisionId: OWN })).to.deep.equal({
      outcome: 'allowed',
      rule: 'a Leader of the division',
      reason: 'a Leader of the division may do this',
    });
  });

  it('names the missing rule if the actor may know of the target', () => {
    expect(explain({ ...leader, groups: ['Guest'] }, 'createUser', { divisionId: OWN })).to.deep.equal({
      outcome: 'forbidden',
      rule: 'a Leader of the division',
      reason: 'only a Leader of the division may do this',
    });
  });

  it('names who may know of the target if the actor may not', () => {
    expect(explain(leader, 'getDivision', { divisionId: OTHER })).to.deep.equal({
      outcome: 'not_found',
      rule: 'a Leader of the division or a Guest of the division',
      reason: 'only a member of the division or an Administrator may know of the target',
    });
    expect(explain(leader, 'getUser', targetOf('other division'))).to.have.property(
      'reason',
      'only the user themself, a Leader of the division or a Guest of the division may know of the target',
    );
  });

  it('says that only active users may do anything, without an actor and for an inactive one', () => {
    for (const actor of [null, { ...leader, isActive: false }]) {
      expect(explain(actor, 'getInfo', {})).to.deep.equal({
        outcome: 'unauthenticated',
        rule: 'anyone who is authenticated',
        reason: 'only an active user may perform actions',
      });
    }
  });

  it('works with the rows of another service', () => {
    const explainOurs = makeExplain({ ...policy, printBadge: onUser(rules.self) });
    expect(explainOurs(leader, 'printBadge', targetOf('same division'))).to.deep.equal({
      outcome: 'forbidden',
      rule: 'the user themself',
      reason: 'only the user themself may do this',
    });
    expect(explainOurs(leader, 'updateDivision', { divisionId: OWN }).outcome).to.equal('allowed');
  });
});
