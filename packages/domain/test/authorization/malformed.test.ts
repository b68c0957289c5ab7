import {
  type Action,
  type Actor,
  can,
  explain,
  type FieldRights,
  forbiddenFields,
  makeExplain,
  makeFieldRights,
  operatorActions,
  policy,
  readActor,
  rule,
  scope,
  targetTypes,
  type UserTarget,
} from '@chapter/domain/api';
import { expect } from 'chai';
import { leader, OTHER, OWN, targetOf } from '../../../../test-support/proof/states.ts';

// Here the actor is the target, and a Leader may not create a password link for themself.
const actions = (Object.keys(policy) as Action[]).filter(
  (action) => action !== 'createPasswordLink' && !operatorActions.includes(action),
);
/** An actor with all groups and both flags. */
const actor: Actor = { ...leader, groups: ['Leader', 'Guest', 'User'], isStaff: true, isSuperuser: true };
const target: UserTarget = { id: actor.id, divisionId: OWN, isStaff: false, isSuperuser: false };

const fail = (): never => {
  throw new Error('must not reach the caller');
};
/** A value that throws on every use. */
const hostile: unknown = new Proxy([], { get: fail, ownKeys: fail, has: fail, getOwnPropertyDescriptor: fail });

const noText = [undefined, 7, true, {}, [], [OWN], Symbol('x'), hostile];
const noId = [...noText, '', 'x', OWN.toUpperCase(), `${OWN} `, `${OWN}\n`, OWN.replaceAll('-', ''), new String(OWN)];
const noFlag = [undefined, null, 'true', 'false', '', 1, 0, {}, [], hostile, new Boolean(true)];
const noArray = [undefined, null, 'Leader', 'SubLeader', { 0: 'Leader', length: 1 }, new Set(['Leader']), hostile];
const noNames = [[['Leader']], [new String('Leader')], ['Leader', undefined], Array(1), Array(3), [hostile]];
const wrongNames = [['leader'], ['Leader '], ['SubLeader'], ['Leader', 'Admin'], ['Leader', 'Leader']];
const noGroups = [...noArray, ...noNames, ...wrongNames, ['Leader', 'Guest', 'User', 'User']];

/** Invalid values for each property of an actor that a decision reads. */
const wrongOfActor: Record<Exclude<keyof Actor, 'origin' | 'sessionId' | 'token'>, readonly unknown[]> = {
  id: [null, ...noId],
  username: [null, ...noText],
  divisionId: noId,
  groups: noGroups,
  isActive: noFlag,
  isStaff: noFlag,
  isSuperuser: noFlag,
};

const allowed = (caller: unknown, what: unknown): readonly Action[] =>
  actions.filter((action) => can(caller as never, action, what as never));

const without = (value: object, field: string): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));

const withGetter = (value: object, field: string, get: () => unknown): object =>
  Object.defineProperty({ ...value }, field, { get, enumerable: true });

const withTrap = (value: object, field: string): object =>
  new Proxy(value, { get: (of, name) => (name === field ? fail() : Reflect.get(of, name)) });

/** Values that are neither actor nor target. */
const noObject = [undefined, 7, '', 'Leader', true, Symbol('x'), 7n, fail, Object.assign(() => {}, actor), [], hostile];

describe('The policy with one invalid property of the actor', () => {
  it('allows its actions if no property is invalid', () => {
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

  it('treats the value as an unauthenticated actor', () => {
    for (const caller of [null, ...noObject, { ...actor, groups: 'SubLeader' }]) {
      for (const action of actions) {
        expect(explain(caller as never, action, target).outcome).to.equal('unauthenticated');
        expect(scope(caller as never, action as 'getUser')).to.equal('none');
      }
    }
    expect(readActor(null)).to.equal(null);
  });

  it('reads each property once, so that the rules read the value that was checked', () => {
    const values: unknown[] = [OTHER, OWN];
    const shifting = withGetter(actor, 'divisionId', () => values.shift());
    expect(can(shifting as never, 'updateDivision', target)).to.equal(false);
    expect(values).to.deep.equal([OWN]);
  });

  it('decides without origin, session and token', () => {
    for (const origin of [undefined, null, 7, hostile]) {
      expect(allowed({ ...actor, origin, sessionId: origin, token: origin }, target)).to.deep.equal(actions);
    }
  });
});

describe('The policy with one invalid property of the target', () => {
  const service = ['listDivisions', 'listGroups', 'getInfo', 'getOwnUser', 'getPermissions'] as const;

  for (const [field, values] of Object.entries({ id: wrongOfActor.id, divisionId: noId })) {
    it(`finds no target with any of ${values.length} wrong values of ${field}, nor without it`, () => {
      const left =
        field === 'divisionId'
          ? actions.filter(
              (each) => (service as readonly string[]).includes(each) || /OwnSession|AccessToken/.test(each),
            )
          : actions.filter((each) => !/^(?:(?:get|update|delete)User|.*OwnSessions?|.*AccessTokens?)$/.test(each));
      const made = values.map((value) => withGetter(target, field, () => value));
      for (const what of [...made, without(target, field), withGetter(target, field, fail), withTrap(target, field)]) {
        expect(allowed(actor, what)).to.deep.equal(left);
        expect(explain(actor, 'updateUser', what as never)).to.include({
          outcome: 'not_found',
          reason: `the target is malformed: ${field} must be a UUID in lower case${field === 'id' ? '' : ' or null'}`,
        });
      }
    });
  }

  it('finds no target in a value that is not an object', () => {
    for (const what of [null, ...noObject]) expect(allowed(actor, what), typeof what).to.deep.equal(service);
  });

  it('reads flags for those actions only whose rules read them', () => {
    const other = { ...target, id: OTHER };
    for (const field of ['isStaff', 'isSuperuser']) {
      const made = noFlag.map((value) => withGetter(other, field, () => value));
      for (const what of [...made, without(other, field), withGetter(other, field, fail), withTrap(other, field)]) {
        expect(can(actor, 'updateUser', what as UserTarget)).to.equal(true);
        expect(explain(actor, 'createPasswordLink', what as UserTarget).outcome).to.equal('not_found');
      }
    }
  });

  it('reads each property once', () => {
    const values: unknown[] = [OTHER, OWN];
    const shifting = withGetter({ ...target, id: OTHER }, 'divisionId', () => values.shift());
    expect(explain(actor, 'deleteUser', shifting as never).outcome).to.equal('not_found');
    expect(values).to.deep.equal([OWN]);
  });
});

describe('A row of another service', () => {
  it('denies if it cannot read targets', () => {
    const { allows, canSee } = policy.getUser;
    const explainOurs = makeExplain({ old: { allows, canSee } as typeof policy.getUser });
    expect(explainOurs(actor, 'old', target).outcome).to.equal('not_found');
  });
});

describe('forbiddenFields', () => {
  const sent = { lastName: 'L', groups: [], id: 'x', nickname: 'n', toString: 1 };
  const refused = (caller: unknown, user: unknown, find = forbiddenFields) =>
    find(caller as never, user as never, sent).map(({ field, code }) => `${field} ${code}`);
  const unwritable = ['id read_only', 'nickname unknown_field', 'toString unknown_field'];
  const none = ['lastName field_forbidden', 'groups field_forbidden', ...unwritable];

  it('includes read-only and unknown fields for every actor', () => {
    expect(refused(actor, target)).to.deep.equal(unwritable);
    expect(refused({ ...actor, groups: [] }, target)).to.deep.equal(['groups field_forbidden', ...unwritable]);
  });

  it('includes all fields for a malformed actor or user and for an inactive actor', () => {
    for (const who of [null, ...noObject, { ...actor, groups: 'Leader' }, { ...actor, isActive: false }]) {
      expect(refused(who, target)).to.deep.equal(none);
    }
    for (const user of [null, ...noObject, { ...target, isStaff: 'false' }, targetOf('absent')]) {
      expect(refused(actor, user)).to.deep.equal(none);
    }
  });

  it('includes fields whose rule throws or returns anything but true', () => {
    const odd = { lastName: fail, groups: rule('x', (() => 1) as never) } as unknown as FieldRights;
    const { forbiddenFields: find } = makeFieldRights(targetTypes.user, odd, { readOnly: ['id'] });
    expect(refused(actor, target, find)).to.deep.equal(none);
  });
});
