import {
  type Action,
  type Actor,
  can,
  explain,
  type FieldRights,
  fieldRights,
  forbiddenFields,
  makeExplain,
  onUser,
  policy,
  rule,
  type UserTarget,
} from '@chapter/domain';
import { expect } from 'chai';
import { leader, OTHER, OWN, targetOf } from '../../../../test-support/authorization/states.ts';

// A Leader creates no password link for themself, and the actor is the target.
const actions = (Object.keys(policy) as Action[]).filter((action) => action !== 'createPasswordLink');
/** The actor who may do the most: every group and both flags. */
const actor: Actor = { ...leader, groups: ['Leader', 'Guest', 'User'], isStaff: true, isSuperuser: true };
const target: UserTarget = { id: actor.id, divisionId: OWN, isStaff: false, isSuperuser: false };

const fail = (): never => {
  throw new Error('must not reach the caller');
};
/** A value whose every use throws. */
const hostile: unknown = new Proxy([], { get: fail, ownKeys: fail, has: fail, getOwnPropertyDescriptor: fail });

const noText = [undefined, 7, true, {}, [], [OWN], Symbol('x'), hostile];
const noId = [...noText, '', 'x', OWN.toUpperCase(), `${OWN} `, `${OWN}\n`, OWN.replaceAll('-', ''), new String(OWN)];
const noFlag = [undefined, null, 'true', 'false', '', 1, 0, {}, [], hostile, new Boolean(true)];
const noArray = [undefined, null, 'Leader', 'SubLeader', { 0: 'Leader', length: 1 }, new Set(['Leader']), hostile];
const noNames = [[['Leader']], [new String('Leader')], ['Leader', undefined], Array(1), Array(3), [hostile]];
const wrongNames = [['leader'], ['Leader '], ['SubLeader'], ['Leader', 'Admin'], ['Leader', 'Leader']];
const noGroups = [...noArray, ...noNames, ...wrongNames, ['Leader', 'Guest', 'User', 'User']];

/** For each property of an actor that a decision may read: values that it must not have. */
const wrongOfActor: Record<Exclude<keyof Actor, 'origin' | 'sessionId'>, readonly unknown[]> = {
  id: [null, ...noId],
  username: [null, ...noText],
  divisionId: noId,
  groups: noGroups,
  isActive: noFlag,
  isStaff: noFlag,
  isSuperuser: noFlag,
};
const wrongOfTarget: Record<keyof UserTarget, readonly unknown[]> = {
  id: [null, ...noId],
  divisionId: noId,
  isStaff: noFlag,
  isSuperuser: noFlag,
};

const allowed = (who: unknown, what: unknown): readonly Action[] =>
  actions.filter((action) => can(who as never, action, what as never));

const without = (value: object, field: string): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));

const withGetter = (value: object, field: string, get: () => unknown): object =>
  Object.defineProperty({ ...value }, field, { get, enumerable: true });

const withTrap = (value: object, field: string): object =>
  new Proxy(value, { get: (of, name) => (name === field ? fail() : Reflect.get(of, name)) });

/** Values that are no actor and no target, of whatever kind. */
const noObject = [undefined, 7, '', 'Leader', true, Symbol('x'), 7n, fail, [], hostile];

describe('The policy, with one property of the actor wrong,', () => {
  it('allows what it allows when none is', () => {
    expect(allowed(actor, target)).to.deep.equal(actions);
  });

  for (const [field, values] of Object.entries(wrongOfActor)) {
    it(`allows nothing by any of ${values.length} wrong values of ${field}, nor without it`, () => {
      for (const value of values) {
        expect(allowed({ ...actor, [field]: value }, target), typeof value).to.deep.equal([]);
      }
      expect(allowed(without(actor, field), target)).to.deep.equal([]);
    });

    it(`allows nothing when reading ${field} throws`, () => {
      expect(allowed(withGetter(actor, field, fail), target)).to.deep.equal([]);
      expect(allowed(withTrap(actor, field), target)).to.deep.equal([]);
    });
  }

  it('takes it for an actor who is not signed in', () => {
    for (const who of [null, ...noObject, { ...actor, groups: 'SubLeader' }]) {
      for (const action of actions) {
        expect(explain(who as never, action, target).outcome).to.equal('unauthenticated');
      }
    }
  });

  it('reads each property once, so that the value checked is the value decided on', () => {
    const values: unknown[] = [OTHER, OWN];
    const shifting = withGetter(actor, 'divisionId', () => values.shift());
    expect(can(shifting as never, 'updateDivision', target)).to.equal(false);
    expect(values).to.deep.equal([OWN]);
  });

  it('decides without the origin and the session', () => {
    for (const origin of [undefined, null, 7, hostile]) {
      expect(allowed({ ...actor, origin, sessionId: origin }, target)).to.deep.equal(actions);
    }
  });
});

describe('The policy, with one property of the target wrong,', () => {
  const service = ['listDivisions', 'listGroups', 'getInfo', 'listOwnSessions'] as const;

  for (const [field, values] of Object.entries(wrongOfTarget)) {
    it(`finds no target with any of ${values.length} wrong values of ${field}, nor without it`, () => {
      const left =
        field === 'divisionId'
          ? service
          : actions.filter((each) => !/^(?:(?:get|update|delete)User|endOwnSession)$/.test(each));
      const made = values.map((value) => withGetter(target, field, () => value));
      for (const what of [...made, without(target, field), withGetter(target, field, fail), withTrap(target, field)]) {
        expect(allowed(actor, what)).to.deep.equal(left);
        expect(explain(actor, 'updateUser', what as never)).to.include({
          outcome: 'not_found',
          reason: 'the target does not exist',
        });
      }
    });
  }

  it('finds no target in a value that is no object', () => {
    for (const what of noObject) {
      const left = what === undefined ? [] : service;
      expect(allowed(actor, what), typeof what).to.deep.equal(left);
    }
  });

  it('reads each property once', () => {
    const values: unknown[] = [OTHER, OWN];
    const shifting = withGetter({ ...target, id: OTHER }, 'divisionId', () => values.shift());
    expect(explain(actor, 'deleteUser', shifting as never).outcome).to.equal('not_found');
    expect(values).to.deep.equal([OWN]);
  });
});

describe('A rule of another service', () => {
  const outcomeBy = (decide: () => unknown) =>
    makeExplain({ printBadge: onUser(rule<UserTarget>('x', decide as () => boolean)) })(
      { ...actor, groups: [] },
      'printBadge',
      { ...target, id: OTHER },
    ).outcome;

  it('allows by true alone: neither by a promise nor by another truthy value', () => {
    expect(outcomeBy(() => true)).to.equal('allowed');
    for (const answer of [Promise.resolve(true), 1, 'true', {}]) expect(outcomeBy(() => answer)).to.equal('not_found');
  });

  it('denies when it throws', () => {
    expect(outcomeBy(fail)).to.equal('not_found');
  });

  it('denies in a row that cannot read targets', () => {
    const { allows, canSee } = policy.getUser;
    const explainOurs = makeExplain({ old: { allows, canSee } as typeof policy.getUser });
    expect(explainOurs(actor, 'old', target).outcome).to.equal('not_found');
  });
});

describe('Forbidden fields', () => {
  const sent = { lastName: 'L', groups: [], id: 'x', nickname: 'n', toString: 1 };
  const refused = (who: unknown, whom: unknown, rights: FieldRights = fieldRights) =>
    forbiddenFields(who as never, whom as never, sent, rights).map(({ field, code }) => `${field} ${code}`);
  const unwritable = ['id read_only', 'nickname unknown_field', 'toString unknown_field'];
  const none = ['lastName field_forbidden', 'groups field_forbidden', ...unwritable];

  it('include read-only and unknown fields for every actor', () => {
    expect(refused(actor, target)).to.deep.equal(unwritable);
    expect(refused({ ...actor, groups: [] }, target)).to.deep.equal(['groups field_forbidden', ...unwritable]);
  });

  it('are all fields for an actor or a user that is not well-formed, and for an inactive actor', () => {
    for (const who of [null, ...noObject, { ...actor, groups: 'Leader' }, { ...actor, isActive: false }]) {
      expect(refused(who, target)).to.deep.equal(none);
    }
    for (const whom of [null, ...noObject, { ...target, isStaff: 'false' }, targetOf('absent')]) {
      expect(refused(actor, whom)).to.deep.equal(none);
    }
  });

  it('are those whose rule throws or returns anything but true', () => {
    const odd = { lastName: fail, groups: rule('x', (() => 1) as never) } as unknown as FieldRights;
    expect(refused(actor, target, odd)).to.deep.equal(none);
  });
});
