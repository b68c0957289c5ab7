import {
  type Action,
  type Actor,
  can,
  explain,
  type Group,
  makeCan,
  onUser,
  policy,
  rules,
  type UserTarget,
} from '@chapter/domain';
import { expect } from 'chai';
import { idNamed, OTHER, OWN } from '../../../../test-support/authorization/states.ts';

const person = (username: string, divisionId: string, groups: Group[], flags: Partial<Actor> = {}): Actor => ({
  id: idNamed(username),
  username,
  divisionId,
  groups,
  isActive: true,
  isStaff: false,
  isSuperuser: false,
  ...flags,
});

const target: UserTarget = { id: idNamed('target'), divisionId: OWN, isStaff: false, isSuperuser: false };
const actors = {
  leaderOfTheDivision: person('l', OWN, ['Leader']),
  guestOfTheDivision: person('g', OWN, ['Guest']),
  self: person('target', OWN, ['User']),
  otherUserOfTheDivision: person('u', OWN, ['User']),
  leaderElsewhere: person('le', OTHER, ['Leader']),
  guestElsewhere: person('ge', OTHER, ['Guest']),
  superuser: person('su', OTHER, [], { isSuperuser: true }),
  staff: person('st', OTHER, [], { isStaff: true }),
  inactiveLeader: person('i', OWN, ['Leader', 'Guest', 'User'], { isActive: false, isStaff: true }),
  withoutDivision: { ...person('w', OWN, ['Leader', 'Guest']), divisionId: null },
};
type ActorName = keyof typeof actors;

const everyActive: ActorName[] = (Object.keys(actors) as ActorName[]).filter((name) => actors[name].isActive);

// Written independently of the policy: the actors that contract §3 names, and no others.
const allowed: Record<Action, ActorName[]> = {
  listUsers: ['leaderOfTheDivision', 'guestOfTheDivision'],
  getUser: ['leaderOfTheDivision', 'guestOfTheDivision', 'self'],
  createUser: ['leaderOfTheDivision'],
  updateUser: ['leaderOfTheDivision', 'self'],
  deleteUser: ['leaderOfTheDivision'],
  listDivisions: ['superuser', 'staff'],
  getDivision: ['leaderOfTheDivision', 'guestOfTheDivision'],
  updateDivision: ['leaderOfTheDivision'],
  listDivisionUsers: ['leaderOfTheDivision', 'guestOfTheDivision'],
  listGroups: everyActive,
  getInfo: everyActive,
  listOwnSessions: everyActive,
  endOwnSession: ['self'],
  createPasswordLink: ['leaderOfTheDivision'],
};

describe('The policy', () => {
  for (const action of Object.keys(policy) as Action[]) {
    it(`lets ${allowed[action].length} of ${Object.keys(actors).length} actors ${action}, as in contract §3`, () => {
      const may = (Object.keys(actors) as ActorName[]).filter((name) => can(actors[name], action, target));
      expect(may.toSorted()).to.deep.equal(allowed[action].toSorted());
    });
  }

  const outcomes: [ActorName, Action, string][] = [
    ['guestOfTheDivision', 'updateUser', 'forbidden'],
    ['guestOfTheDivision', 'deleteUser', 'forbidden'],
    ['self', 'deleteUser', 'forbidden'],
    ['otherUserOfTheDivision', 'getUser', 'not_found'],
    ['otherUserOfTheDivision', 'getDivision', 'forbidden'],
    ['otherUserOfTheDivision', 'listDivisionUsers', 'forbidden'],
    ['leaderElsewhere', 'updateUser', 'not_found'],
    ['leaderElsewhere', 'getDivision', 'not_found'],
    ['superuser', 'getUser', 'not_found'],
    ['superuser', 'getDivision', 'forbidden'],
    ['staff', 'updateDivision', 'forbidden'],
    ['leaderElsewhere', 'listDivisions', 'forbidden'],
    ['inactiveLeader', 'listGroups', 'unauthenticated'],
    ['withoutDivision', 'listUsers', 'not_found'],
  ];
  for (const [name, action, outcome] of outcomes) {
    it(`returns ${outcome} if ${name} tries to ${action}`, () => {
      expect(explain(actors[name], action, target).outcome).to.equal(outcome);
    });
  }

  it('returns not_found for a nonexistent target, and unauthenticated without an actor', () => {
    expect(explain(actors.superuser, 'getDivision', null).outcome).to.equal('not_found');
    expect(explain(null, 'listGroups', target).outcome).to.equal('unauthenticated');
  });

  it('names the missing rule', () => {
    expect(explain(actors.guestOfTheDivision, 'updateDivision', target).reason).to.equal(
      'only a Leader of the division may do this',
    );
    expect(explain(actors.guestOfTheDivision, 'updateUser', target).reason).to.equal(
      'only the user themself or a Leader of the division may do this',
    );
  });

  it('denies an actor without a division everything in a target without one', () => {
    const nowhere = { ...target, divisionId: null };
    expect(can(actors.withoutDivision, 'getDivision', nowhere)).to.equal(false);
    expect(can(actors.withoutDivision, 'deleteUser', nowhere)).to.equal(false);
  });

  it('decides by the rows of another service, and denies actions without a row', () => {
    const canThere = makeCan({ ...policy, printBadge: onUser(rules.self) });
    expect(canThere(actors.self, 'printBadge', target)).to.equal(true);
    expect(canThere(actors.leaderOfTheDivision, 'printBadge', target)).to.equal(false);
    expect(canThere(actors.leaderOfTheDivision, 'deleteUser', target)).to.equal(true);
    expect(canThere(actors.self, 'sing' as never, target as never)).to.equal(false);
    expect(canThere(null, 'printBadge', target)).to.equal(false);
  });
});
