import { actorOf, authorOf } from '@chapter/domain/ports';
import { aLeader, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Runner } from '../../src/connection/statement.ts';
import { makeCreationCheck } from '../../src/users/user-repository.ts';

describe('The check of a creation', () => {
  it('finds the creation with the same key that another instance commits between the look-ups', async () => {
    const [leader, created] = [aLeader(), aUser()];
    let lookUps = 0;
    const query = async ({ name }: { readonly name?: string }): Promise<readonly unknown[]> => {
      const isStored = lookUps > 0;
      lookUps += 1;
      if (name === 'find-taken-names') return [[isStored, isStored]];
      return isStored ? [['request', created, null]] : [];
    };
    const check = makeCreationCheck({ query: query as Runner['query'] }, async () => leader);
    const once = { key: 'key-1', request: 'request' };
    expect(await check(authorOf(actorOf(leader)), created, () => {}, once)).to.deep.equal({
      request: 'request',
      user: created,
      passwordHash: null,
    });
    expect(lookUps).to.equal(2);
  });
});
