import { actorOf, authorOf } from '@chapter/domain';
import { aLeader } from '@chapter/domain/testing';
import { expect } from 'chai';

describe('The actor that a user is', () => {
  it('has the rights of the user, and nothing else of them', () => {
    const leader = aLeader().with({ isStaff: true, email: 'ada@example.org' });
    expect(actorOf(leader)).to.deep.equal({
      id: leader.id,
      username: leader.username,
      divisionId: leader.division.id,
      groups: ['Leader'],
      isActive: true,
      isStaff: true,
      isSuperuser: false,
    });
  });

  it('is the author of changes outside of a request', () => {
    const leader = aLeader();
    expect(authorOf(actorOf(leader))).to.deep.equal({ userId: leader.id, name: leader.username, requestId: null });
  });
});
