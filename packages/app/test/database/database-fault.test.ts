import { unavailable } from '@chapter/domain';
import { expect } from 'chai';
import { databaseFault } from '../../src/database/database-fault.ts';

describe('databaseFault', () => {
  const texts: [string, string][] = [
    // The driver leaves the connection open that it says this of, and a server drops no database meanwhile.
    ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', 'it asks for a password, and none is given'],
    ['self-signed certificate', 'its certificate is not one to trust'],
    ['the database refused a statement (SQLSTATE 57P03)', 'it is starting or stopping'],
    ['the database refused a statement (SQLSTATE 53300)', 'all of its connections are taken'],
    ['the database server was refused: it is a standby', 'it is a standby'],
    ['the database refused a statement (SQLSTATE 0A000)', 'an extension is not installed there (pg_trgm or btree_gin)'],
  ];
  for (const [text, words] of texts) {
    it(`says of "${text}" that ${words}`, () => {
      expect(databaseFault(new Error(text))).to.equal(words);
      expect(databaseFault(unavailable(new Error(text)))).to.equal(words);
    });
  }

  it('says of each of several hosts why it cannot be used', () => {
    const errors = [
      new Error('db1:5432', { cause: unavailable(new Error('the database is unreachable (ECONNREFUSED)')) }),
      new Error('db2:5433', { cause: unavailable() }),
    ];
    expect(databaseFault(unavailable(new AggregateError(errors)))).to.equal(
      'none of its hosts can be used (db1:5432: nothing listens there; db2:5433: it does not answer)',
    );
  });

  it('takes the errors of one host with several addresses for one', () => {
    const error = Object.assign(new AggregateError([new Error('a'), new Error('b')]), { code: 'ECONNREFUSED' });
    expect(databaseFault(unavailable(error))).to.equal(undefined);
  });

  it('knows nothing of other errors', () => {
    for (const error of [new Error('x is not a function'), unavailable(), 'x', undefined])
      expect(databaseFault(error)).to.equal(undefined);
  });
});
