import { anyOf, onDivision, onUser, policy, rule, rules, type UserTarget } from '@chapter/domain';
import {
  aDivision,
  aGuest,
  aLeader,
  anAdministrator,
  aUser,
  decisionMatrix,
  decisionsOf,
} from '@chapter/domain/testing';
import { expect } from 'chai';

const chapter = aDivision();
const member = aUser().of(chapter);
const people = {
  leader: aLeader().of(chapter),
  guest: aGuest().of(chapter),
  member,
  administrator: anAdministrator(),
  stranger: aLeader(),
  inactive: aLeader().of(chapter).inactive(),
  noActor: null,
};

describe('The decision matrix', () => {
  it('shows a policy that another service adds', () => {
    const adult = rule<UserTarget>('a member of age', (actor) => actor.username !== 'minor');
    const added = {
      inviteUser: onUser(anyOf(rules.leader, rules.guest)),
      buyBeer: onUser(anyOf(adult)),
      closeDivision: onDivision(rules.leader),
    };
    const actors = { leader: people.leader, member, stranger: people.stranger, noActor: null };
    expect(decisionMatrix(added, actors, { member, absent: null })).to.equal(
      [
        'action         target  leader     member     stranger   noActor',
        'inviteUser     member  allowed    forbidden  not_found  unauthenticated',
        'inviteUser     absent  not_found  not_found  not_found  unauthenticated',
        'buyBeer        member  allowed    allowed    allowed    unauthenticated',
        'buyBeer        absent  not_found  not_found  not_found  unauthenticated',
        'closeDivision  member  allowed    forbidden  not_found  unauthenticated',
        'closeDivision  absent  not_found  not_found  not_found  unauthenticated',
        '',
      ].join('\n'),
    );
  });

  it('returns each decision with its reason', () => {
    const decisions = decisionsOf(policy, people, { member, absent: null });
    expect(decisions).to.have.length(Object.keys(policy).length * 2 * Object.keys(people).length);
    const isGuests = ({ action, actor, target }: (typeof decisions)[number]) =>
      action === 'updateUser' && actor === 'guest' && target === 'member';
    expect(decisions.filter(isGuests)).to.deep.equal([
      {
        action: 'updateUser',
        actor: 'guest',
        target: 'member',
        decision: {
          outcome: 'forbidden',
          rule: 'the user themself or a Leader of the division',
          reason: 'only the user themself or a Leader of the division may do this',
        },
      },
    ]);
  });
});
