import {
  anyOf,
  type FieldTarget,
  fieldRights,
  GROUPS,
  makeExplain,
  onUser,
  policy,
  rule,
  rules,
  type UserTarget,
} from '@chapter/domain';
import { expect } from 'chai';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import type { Standing } from '../../../../test-support/authorization/oracle.ts';
import {
  actorOf,
  flagPairs,
  groupSubsets,
  idNamed,
  OTHER,
  OWN,
} from '../../../../test-support/authorization/states.ts';
import { type State, walk } from './walk.ts';
import type { Account, RuleTable } from './walk-requests.ts';

const table: RuleTable = { explain: makeExplain(policy), fieldRights };

const account = (username: string, values: Partial<Account>): Account => ({
  id: idNamed(username),
  username,
  divisionId: OWN,
  groups: [],
  isActive: true,
  isStaff: false,
  isSuperuser: false,
  held: false,
  ...values,
});

/** The caller, a member of the same division, an Administrator who leads another, and nobody created yet. */
const beginning = (caller: Standing, member: Partial<Account>): State => [
  account('caller', { ...actorOf(caller), id: idNamed('caller'), username: 'caller', held: true }),
  account('member', member),
  account('alien', { divisionId: OTHER, groups: GROUPS, isStaff: true, isSuperuser: true }),
  null,
];

const active = (groups: readonly string[], flags = { isStaff: false, isSuperuser: false }): Standing => ({
  status: 'active',
  groups,
  ...flags,
});

/** Leaders lead to the same states, whatever other groups they have at first: one walk begins at all of them. */
const beginnings: readonly (readonly Standing[])[] = flagPairs.flatMap((flags) => {
  const callers = groupSubsets.map((groups) => active(groups, flags));
  const [leaders, others] = [true, false].map((is) => callers.filter(({ groups }) => groups.includes('Leader') === is));
  return [leaders ?? [], ...(others ?? []).map((one) => [one])];
});
/** The shortest way to a right that the caller must not have. */
const escape = (changes: Partial<RuleTable>, caller: Partial<Standing>, member: Partial<Account> = {}) => {
  const standing: Standing = { ...active([]), ...caller };
  return walk({ ...table, ...changes }, standing, [beginning(standing, member)]).escape;
};
const { self, leader, guest, administrator } = rules;

describe('A walk through all states that allowed requests lead to', () => {
  it('finds no right that the caller’s groups in their division do not lead to', function () {
    this.timeout(1_800_000);
    const walks = beginnings.flatMap((callers) =>
      flagPairs.map((flags) => {
        const [caller] = callers;
        if (!caller) throw new Error('every walk has a beginning');
        return walk(
          table,
          caller,
          callers.map((each) => beginning(each, flags)),
        );
      }),
    );
    expect(walks.map(({ escape }) => escape)).to.deep.equal(walks.map(() => null));
    const states = walks.reduce((sum, each) => sum + each.states, 0);
    reportCount(states, 'states walked');
    expect(states).to.be.greaterThan(100_000);
  });

  it('leads an inactive Leader nowhere', () => {
    const inactive: Standing = { status: 'inactive', groups: GROUPS, isStaff: true, isSuperuser: true };
    expect(walk(table, inactive, [beginning(inactive, {})])).to.deep.equal({ states: 1, escape: null });
  });

  it('leads a mere User through their own account only', () => {
    const user = active(['User']);
    expect(walk(table, user, [beginning(user, { isStaff: true })]).states).to.equal(1);
  });
});

describe('The same walk by rules with a hole', () => {
  it('finds that a Leader could take over an Administrator by setting the password', () => {
    const changes = { fieldRights: { ...fieldRights, password: anyOf<UserTarget>(self, leader) } };
    for (const flag of ['isStaff', 'isSuperuser']) {
      expect(escape(changes, { groups: ['Leader'] }, { [flag]: true })).to.deep.equal([
        'caller updateUser member {"password":"a new password","currentPassword":"a new password"}',
      ]);
    }
    expect(escape(changes, { groups: ['Leader'], isStaff: true }, { isSuperuser: true })).to.equal(null);
    expect(escape(changes, { groups: ['Guest'] }, { isSuperuser: true })).to.equal(null);
  });

  it('finds the same way to an Administrator who must first be made active again', () => {
    const changes = { fieldRights: { ...fieldRights, password: anyOf<UserTarget>(self, leader) } };
    expect(escape(changes, { groups: ['Leader'] }, { isStaff: true, isActive: false })).to.have.length(2);
  });

  it('finds that users could promote themselves', () => {
    const changes = { fieldRights: { ...fieldRights, groups: anyOf<UserTarget>(self, leader) } };
    expect(escape(changes, { groups: ['User'] })).to.deep.equal([
      'caller updateUser caller {"groups":["Leader","User"]}',
    ]);
  });

  it('finds that a Leader could move to another division', () => {
    const changes = { fieldRights: { ...fieldRights, division: leader } };
    expect(escape(changes, { groups: ['Leader'] })).to.deep.equal([`caller updateUser caller {"division":"${OTHER}"}`]);
  });

  it('finds that a Leader could create somebody in another division', () => {
    const intoAny = rule<FieldTarget>('a Leader', (actor, field) => leader(actor, field) && actor.id !== field.id);
    const creating = escape({ fieldRights: { ...fieldRights, division: intoAny } }, { groups: ['Leader'] });
    expect(creating).to.have.length(1);
  });

  it('finds that a Guest could create', () => {
    const explain = makeExplain({ ...policy, createUser: { ...policy.createUser, allows: guest } });
    expect(escape({ explain }, { groups: ['Guest'] })).to.deep.equal([]);
  });

  it('finds that an Administrator could lead where they are not a Leader', () => {
    const explain = makeExplain({ ...policy, updateUser: onUser(anyOf<UserTarget>(self, leader, administrator)) });
    expect(escape({ explain }, { isStaff: true })).to.deep.equal([]);
  });

  it('finds that a Leader could reach into another division', () => {
    const anyLeader = rule<UserTarget>('a Leader', (actor) => actor.groups.includes('Leader'));
    const explain = makeExplain({ ...policy, deleteUser: onUser(anyLeader) });
    expect(escape({ explain }, { groups: ['Leader'] })).to.deep.equal([]);
    expect(escape({ explain }, { groups: ['User'] })).to.equal(null);
  });
});
