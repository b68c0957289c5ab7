import { actorOf } from '@chapter/domain';
import { aLeader } from '@chapter/domain/testing';
import { expect } from 'chai';

describe('actorOf', () => {
  it('returns the rights of a user and nothing else', () => {
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
});
