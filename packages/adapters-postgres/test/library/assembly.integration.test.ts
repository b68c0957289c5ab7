import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { storeMember } from './assembly.ts';

describe('The example of an assembly in the README', () => {
  const database = useTestDatabase();

  it('stores a member in an empty database', async () => {
    expect(await storeMember(database.url)).to.equal('Ada');
  });
});
