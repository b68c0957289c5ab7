import {
  anyOf,
  explain,
  type FieldTarget,
  fieldRights,
  GROUPS,
  makeExplain,
  onUser,
  type Policy,
  policy,
  rule,
  rules,
  type UserTarget,
} from '@chapter/domain';
import { expect } from 'chai';
import { compare } from '../../../../test-support/proof/report.ts';
import {
  actorWithStanding,
  flagPairs,
  groupSubsets,
  idNamed,
  NO_FLAGS,
  OTHER,
  type Standing,
} from '../../../../test-support/proof/states.ts';
import { type State, walk } from '../../../../test-support/proof/walk.ts';
import { type Account, accountOf, type RuleTable } from '../../../../test-support/proof/walk-requests.ts';

const table: RuleTable = { explain: makeExplain(policy), fieldRights };

/** The caller, a member of the same division, an Administrator who leads another division, and a free slot. */
const beginning = (caller: Standing, member: Partial<Account>): State => [
  accountOf('caller', { ...actorWithStanding(caller), id: idNamed('caller'), username: 'caller', held: true }),
  accountOf('member', member),
  accountOf('alien', { divisionId: OTHER, groups: GROUPS, isStaff: true, isSuperuser: true }),
  null,
];

const active = (groups: readonly string[], flags = NO_FLAGS): Standing => ({ status: 'active', groups, ...flags });

/** Leaders reach the same states regardless of their other groups, so that one walk starts from all of them. */
const beginnings: readonly (readonly Standing[])[] = flagPairs.flatMap((flags) => {
  const callers = groupSubsets.map((groups) => active(groups, flags));
  const [leaders, others] = [true, false].map((is) => callers.filter(({ groups }) => groups.includes('Leader') === is));
  return [leaders ?? [], ...(others ?? []).map((one) => [one])];
});
/** Returns the shortest sequence of requests to a right that the caller must not have. */
const escape = (changes: Partial<RuleTable>, caller: Partial<Standing>, member: Partial<Account> = {}) => {
  const standing: Standing = { ...active([]), ...caller };
  return walk({ ...table, ...changes }, standing, [beginning(standing, member)]).escape;
};
const { self, leader, guest, administrator } = rules;

/** The decisions of the policy with other rows. */
const explainWith = (rows: Partial<Policy>): typeof explain => makeExplain({ ...policy, ...rows });

describe('A walk through all states that allowed requests reach', () => {
  it('finds no right beyond those that the caller’s groups can give', function () {
    this.timeout(1_800_000);
    return compare('states walked', 100_000, ({ add }) => {
      for (const callers of beginnings) {
        for (const flags of flagPairs) {
          const starts = callers.map((each) => beginning(each, flags));
          const { states, escape } = walk(table, callers[0] ?? expect.fail('expected a start of the walk'), starts);
          add(states);
          expect(escape).to.equal(null);
        }
      }
    });
  });

  it('reaches no other state as an inactive Leader', () => {
    const inactive: Standing = { status: 'inactive', groups: GROUPS, isStaff: true, isSuperuser: true };
    expect(walk(table, inactive, [beginning(inactive, {})])).to.deep.equal({ states: 1, escape: null });
  });

  it('changes only their own account as a User', () => {
    const user = active(['User']);
    expect(walk(table, user, [beginning(user, { isStaff: true })]).states).to.equal(1);
  });
});

describe('The same walk with flawed rules', () => {
  it('finds a Leader who could take over an Administrator by setting the password', () => {
    const changes = { fieldRights: { ...fieldRights, password: anyOf(self, leader) } };
    for (const flag of ['isStaff', 'isSuperuser']) {
      expect(escape(changes, { groups: ['Leader'] }, { [flag]: true })).to.deep.equal([
        'caller updateUser member {"password":"a new password","currentPassword":"a new password"}',
      ]);
    }
    expect(escape(changes, { groups: ['Leader'], isStaff: true }, { isSuperuser: true })).to.equal(null);
    expect(escape(changes, { groups: ['Guest'] }, { isSuperuser: true })).to.equal(null);
  });

  it('finds a Leader who could take over an Administrator by a password link', () => {
    const explain = explainWith({ createPasswordLink: onUser(leader) });
    expect(escape({ explain }, { groups: ['Leader'] }, { isStaff: true })).to.deep.equal([
      'caller createPasswordLink member {}',
    ]);
  });

  it('finds the same for an Administrator who must first be activated', () => {
    const changes = { fieldRights: { ...fieldRights, password: anyOf(self, leader) } };
    expect(escape(changes, { groups: ['Leader'] }, { isStaff: true, isActive: false })).to.have.length(2);
  });

  it('finds users who could promote themselves', () => {
    const changes = { fieldRights: { ...fieldRights, groups: anyOf(self, leader) } };
    expect(escape(changes, { groups: ['User'] })).to.deep.equal([
      'caller updateUser caller {"groups":["Leader","User"]}',
    ]);
  });

  it('finds a Leader who could move to another division', () => {
    const changes = { fieldRights: { ...fieldRights, division: leader } };
    expect(escape(changes, { groups: ['Leader'] })).to.deep.equal([`caller updateUser caller {"division":"${OTHER}"}`]);
  });

  it('finds a Leader who could create a user in another division', () => {
    const intoAny = rule<FieldTarget>('a Leader', (actor, field) => leader(actor, field) && actor.id !== field.id);
    const creating = escape({ fieldRights: { ...fieldRights, division: intoAny } }, { groups: ['Leader'] });
    expect(creating).to.have.length(1);
  });

  it('finds a Guest who could create users', () => {
    const explain = explainWith({ createUser: { ...policy.createUser, allows: guest } });
    expect(escape({ explain }, { groups: ['Guest'] })).to.deep.equal([]);
  });

  it('finds an Administrator who could update users without being a Leader', () => {
    const explain = explainWith({ updateUser: onUser(anyOf(self, leader, administrator)) });
    expect(escape({ explain }, { isStaff: true })).to.deep.equal([]);
  });

  it('finds a Leader who could delete users of another division', () => {
    const anyLeader = rule<UserTarget>('a Leader', (actor) => actor.groups.includes('Leader'));
    const explain = explainWith({ deleteUser: onUser(anyLeader) });
    expect(escape({ explain }, { groups: ['Leader'] })).to.deep.equal([]);
    expect(escape({ explain }, { groups: ['User'] })).to.equal(null);
  });
});
