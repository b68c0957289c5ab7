import { makeSequentialIds, makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { connectPostgres } from '../../src/index.ts';

describe('connectPostgres', () => {
  it('counts the lists of each replica by its host and port, also if its URL names them as parameters', async () => {
    const database = connectPostgres({
      url: 'postgresql://primary/c',
      replicaUrls: ['postgresql:///c?host=r1', 'postgresql:///c?host=r2&port=6432', 'postgresql://primary/c'],
      clock: makeSettableClock(),
      ids: makeSequentialIds(),
    });
    expect(database.divisionReads()).to.deep.equal({ primary: 0, 'r1:5432': 0, 'r2:6432': 0, 'primary:5432': 0 });
    await database.close();
  });
});
