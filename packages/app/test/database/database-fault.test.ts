import { unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import { bringUpToDate } from '../../src/database/change-schema.ts';
import { databaseFault } from '../../src/database/open-database.ts';

describe('databaseFault', () => {
  const texts: [string, string][] = [
    // Not tested with a server: the driver leaves this connection open, which would block dropping the test database.
    [
      'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
      'it requires a password, but none is configured',
    ],
    ['self-signed certificate', 'its certificate is not trusted'],
    ['the database refused a statement (SQLSTATE 57P03)', 'it is starting or stopping'],
    ['the database refused a statement (SQLSTATE 53300)', 'all its connections are in use'],
    ['the database server was refused: it is a standby', 'it is a standby'],
    ['the migration was refused: its table is in use', 'its table is in use'],
    ['a statement (SQLSTATE 0A000)', 'an extension is missing on the server (pg_trgm or btree_gin)'],
  ];
  for (const [text, reason] of texts) {
    it(`explains "${text}" as "${reason}"`, () => {
      expect(databaseFault(new Error(text))).to.equal(reason);
      expect(databaseFault(unavailable(new Error(text)))).to.equal(reason);
    });
  }

  it('gives a reason for each of several hosts', () => {
    const errors = [
      new Error('db1:5432', { cause: unavailable(new Error('the database is unreachable (ECONNREFUSED)')) }),
      new Error('db2:5433', { cause: unavailable() }),
    ];
    expect(databaseFault(unavailable(new AggregateError(errors)))).to.equal(
      'none of its hosts can be used (db1:5432: the connection was refused, so PostgreSQL may be stopped; db2:5433: it does not respond)',
    );
  });

  it('gives one reason for one host with several addresses, and for one that ends or does not respond', () => {
    const error = Object.assign(new AggregateError([new Error('a'), new Error('b')]), { code: 'ECONNREFUSED' });
    for (const cause of [error, undefined]) expect(databaseFault(unavailable(cause))).to.equal('it does not respond');
  });

  it('is advised to grant rights only for a lack of rights', async () => {
    const migrations = { status: () => Promise.reject(unavailable()) } as never;
    expect(await bringUpToDate({ migrations }, {} as never).catch(String)).to.match(/read: it does not respond\.$/);
  });

  it('returns undefined for other errors', () => {
    for (const error of [new Error('x is not a function'), 'x', undefined])
      expect(databaseFault(error)).to.equal(undefined);
  });
});
