import {
  type Action,
  type Actor,
  anyOf,
  can,
  explain,
  isInScope,
  makeCan,
  makeExplain,
  makeGrants,
  makeScope,
  onDivision,
  onUser,
  policy,
  rule,
  rules,
  scope,
  scopedRule,
} from '@chapter/domain';
import { targetKindOf } from '@chapter/domain/api';
import { expect } from 'chai';
import { actorWithStanding, leader, OWN, standings, targetOf } from '../../../../test-support/proof/states.ts';
import { permits } from '../../src/policy/rules.ts';

const target = targetOf('same division') ?? expect.fail('a target in the same division exists');
const fail = (): never => {
  throw new Error('must not reach the caller');
};

// `as never` stands for plain JavaScript callers and damaged databases.
describe('The policy with invalid input', () => {
  it('gives no right over a target without a division, not even to an actor without one', () => {
    const homeless: Actor = { ...leader, groups: ['Leader', 'Guest'], divisionId: null };
    for (const [actor, divisionId] of [
      [leader, null],
      [homeless, null],
      [homeless, OWN],
    ] as const) {
      const nowhere = { ...target, divisionId } as never;
      const allowed = (Object.keys(policy) as Action[]).filter((action) => can(actor, action, nowhere));
      expect(allowed).to.deep.equal(['listGroups', 'getInfo', 'getOwnUser', 'getPermissions']);
      for (const action of ['deleteUser', 'getDivision'] as const) {
        expect(explain(actor, action, nowhere).outcome).to.equal('not_found');
      }
    }
  });

  it('denies an action without a row to every actor, and has no scope, grants and kind of targets for it', () => {
    const denied = { outcome: 'forbidden', rule: 'no one', reason: 'no rule allows this' };
    const names: readonly unknown[] = ['closeDivision', 'toString', '__proto__', ''];
    for (const action of [...names, Symbol('a'), undefined, { toString: fail }] as never[]) {
      for (const standing of standings) {
        expect(explain(actorWithStanding(standing), action, target as never)).to.deep.equal(denied);
      }
      expect(scope(leader, action)).to.equal('none');
    }
    for (const action of names as never[]) {
      expect([makeGrants(policy)(action, target as never), targetKindOf(action)]).to.deep.equal([[], undefined]);
    }
    const inherited = Object.create(policy) as typeof policy;
    expect(makeScope(inherited)(leader, 'listUsers')).to.equal('none');
    expect(makeCan(inherited)(leader, 'listUsers', { divisionId: OWN })).to.equal(false);
  });

  it('gives an inactive actor no right by a rule that needs no group', () => {
    const inactive: Actor = { ...leader, isActive: false };
    for (const allows of [rules.authenticated, rules.divisionMember]) expect(allows(inactive, leader)).to.equal(false);
  });
});

describe('A rule that throws or returns anything but true', () => {
  const predicates: Readonly<Record<string, () => unknown>> = {
    throws: fail,
    'returns a number': () => 1,
    'returns a text': () => 'true',
    'returns a promise': () => Promise.resolve(true),
  };
  for (const [what, broken] of Object.entries(predicates)) {
    it(`allows nothing, and leaves what other rules allow, if it ${what}`, () => {
      const allows = rule('x', broken as never);
      const listed = scopedRule('x', { divisionId: { actor: 'divisionId' } }, broken as never);
      const rows = {
        alone: onUser(allows),
        either: onUser(anyOf(allows, rules.guest)),
        list: onDivision(anyOf(listed, rules.guest)),
      };
      for (const groups of [['Guest'], []] as const) {
        const actor: Actor = { ...leader, groups };
        const isGuest = groups.length > 0;
        const [canDo, explained] = [makeCan(rows), makeExplain(rows)];
        expect(permits(broken as never, actor, target)).to.equal(false);
        expect([canDo(actor, 'alone', target), canDo(actor, 'either', target)]).to.deep.equal([false, isGuest]);
        expect(explained(actor, 'alone', target).outcome).to.equal(isGuest ? 'forbidden' : 'not_found');
        expect(explained(actor, 'either', target).outcome).to.equal(isGuest ? 'allowed' : 'not_found');
        expect(makeGrants(rows)('either', target).map((one) => one.allows(actor))).to.deep.equal([false, isGuest]);
        expect(canDo(actor, 'list', { divisionId: OWN })).to.equal(isGuest);
        expect(isInScope(makeScope(rows)(actor, 'list'), { divisionId: OWN })).to.equal(isGuest);
      }
    });
  }
});
