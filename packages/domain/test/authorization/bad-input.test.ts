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
import { actorOf, leader, OTHER, OWN, standings, targetOf } from '../../../../test-support/authorization/states.ts';

const actions = Object.keys(policy) as Action[];
const allowedTo = (actor: Actor | null, target: UserTarget | null) =>
  actions.filter((action) => can(actor, action, target));

/** A value that cannot be turned into a property name. */
const throwing = {
  toString: () => {
    throw new Error('not a name');
  },
};

// What `as never` lets in here, plain JavaScript or a damaged database lets in there.
describe('The policy, given what makes no sense,', () => {
  for (const nowhere of [null, undefined]) {
    it(`gives no actor a right over a target whose division is ${nowhere}`, () => {
      const target = { ...targetOf('same division'), divisionId: nowhere } as never;
      expect(allowedTo(leader, target)).to.deep.equal(['listGroups', 'getInfo', 'listOwnSessions']);
      expect(explain(leader, 'deleteUser', target).outcome).to.equal('not_found');
    });
  }

  it('gives an actor without a division no right in any, not even in none', () => {
    const homeless: Actor = { ...leader, groups: ['Leader', 'Guest'], divisionId: null };
    for (const divisionId of [OWN, null]) {
      const target = { ...targetOf('same division'), divisionId } as never;
      expect(allowedTo(homeless, target)).to.deep.equal(['listGroups', 'getInfo', 'listOwnSessions']);
      expect(explain(homeless, 'getDivision', target).outcome).to.equal('not_found');
    }
  });

  it('denies an action without a row to everybody', () => {
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
        expect(explain(actorOf(standing), action as Action, targetOf('self'))).to.deep.equal({
          outcome: 'forbidden',
          rule: 'nobody',
          reason: 'no rule allows this',
        });
      }
    }
  });

  it('finds no target in undefined', () => {
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

  it('names the rule that is missing, for those who may know of the target', () => {
    expect(explain({ ...leader, groups: ['Guest'] }, 'createUser', { divisionId: OWN })).to.deep.equal({
      outcome: 'forbidden',
      rule: 'a Leader of the division',
      reason: 'only a Leader of the division may do this',
    });
  });

  it('names who may know of the target to the others', () => {
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

  it('says that nobody and the inactive may do nothing', () => {
    for (const actor of [null, { ...leader, isActive: false }]) {
      expect(explain(actor, 'getInfo', {})).to.deep.equal({
        outcome: 'unauthenticated',
        rule: 'anyone who is signed in',
        reason: 'only an active user may do anything',
      });
    }
  });

  it('can be had for the rows of another service', () => {
    const explainOurs = makeExplain({ ...policy, printBadge: onUser(rules.self) });
    expect(explainOurs(leader, 'printBadge', targetOf('same division'))).to.deep.equal({
      outcome: 'forbidden',
      rule: 'the user themself',
      reason: 'only the user themself may do this',
    });
    expect(explainOurs(leader, 'updateDivision', { divisionId: OWN }).outcome).to.equal('allowed');
  });
});
