import { makeSequentialIds, makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { asRole, createTestDatabase, type TestDatabase } from '../../../../test-support/database.ts';
import { query } from '../../../../test-support/query.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { outcomeOf, REFUSED } from '../support/outcome-of.ts';

/** An excess right of the role, the attack that it allows, and the statements that prevent the attack. */
interface Excess {
  readonly reason: string;
  readonly given: string;
  readonly attack: string;
  readonly printed: readonly string[];
  /** Reverts what the printed statements leave, so that other tests can use the roles. */
  readonly reset?: string;
}

const DROP = 'drop table audit_entry cascade';
const DELETE = 'delete from audit_entry';

const EXCESSES: readonly Excess[] = [
  {
    reason: 'is a superuser',
    given: 'alter role SERVING superuser',
    attack: DROP,
    printed: ['alter role SERVING nosuperuser'],
  },
  {
    reason: 'may create roles',
    given: 'alter role SERVING createrole',
    attack: 'create role chapter_test_other',
    printed: ['alter role SERVING nocreaterole'],
  },
  {
    reason: 'owns the database',
    given: 'alter schema public owner to pg_database_owner; alter database DATABASE owner to SERVING',
    attack: DROP,
    printed: ['alter database DATABASE owner to OWNER'],
    reset: 'alter schema public owner to OWNER',
  },
  {
    reason: 'owns the schema',
    given: 'alter schema public owner to SERVING',
    attack: DROP,
    printed: ['alter schema "public" owner to OWNER'],
  },
  {
    reason: 'owns a table',
    given: 'alter table audit_entry owner to SERVING',
    attack: DROP,
    printed: ['alter table audit_entry owner to OWNER'],
  },
  {
    reason: 'owns a function',
    given: 'alter function search_grams owner to SERVING',
    attack: 'drop function search_grams cascade',
    printed: ['alter function search_grams owner to OWNER'],
  },
  {
    reason: 'owns a type',
    given: 'alter type member_group owner to SERVING',
    attack: 'drop type member_group cascade',
    printed: ['alter type member_group owner to OWNER'],
  },
  {
    reason: 'belongs to the owner',
    given: 'grant OWNER to SERVING',
    attack: DROP,
    printed: ['revoke OWNER from SERVING'],
  },
  {
    reason: 'belongs to a predefined role that may write everything',
    given: 'grant pg_write_all_data to SERVING',
    attack: DELETE,
    printed: ['revoke "pg_write_all_data" from SERVING'],
  },
  {
    reason: 'belongs to a role that has rights in this database',
    given: 'grant delete on audit_entry to GROUP; grant GROUP to SERVING',
    attack: DELETE,
    printed: ['revoke GROUP from SERVING'],
    reset: 'revoke GROUP from SERVING; revoke delete on audit_entry from GROUP',
  },
  {
    reason: 'belongs to a role that may create schemas',
    given: 'grant create on database DATABASE to GROUP; grant GROUP to SERVING',
    attack: 'create schema other',
    printed: ['revoke GROUP from SERVING'],
    reset: 'revoke GROUP from SERVING; revoke create on database DATABASE from GROUP',
  },
  {
    reason: 'belongs to a role that may create roles',
    given: 'alter role GROUP createrole; grant GROUP to SERVING',
    attack: 'set role GROUP; create role chapter_test_other',
    printed: ['revoke GROUP from SERVING'],
    reset: 'revoke GROUP from SERVING; alter role GROUP nocreaterole',
  },
  {
    reason: 'belongs to the owner through a role that has no rights itself',
    given: 'grant OWNER to GROUP; grant GROUP to SERVING',
    attack: DROP,
    printed: ['revoke GROUP from SERVING'],
    reset: 'revoke GROUP from SERVING; revoke OWNER from GROUP',
  },
];

describe('A serving role with too many rights', () => {
  let test: TestDatabase;
  let owner: Database;
  let serving: string;
  let named: (text: string) => string;

  const administer = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await query(test.url, named(statement));
  };
  const connectAsOwner = async (url: string): Promise<Database> =>
    connectPostgres({
      url: await asRole(url, 'owner_of_excess'),
      clock: makeSettableClock(),
      ids: makeSequentialIds(),
    });
  /** Lets the owner's role migrate an empty database. */
  const migrate = async (url: string): Promise<void> => {
    const role = new URL(await asRole(url, 'owner_of_excess')).username;
    await query(url, `alter database ${new URL(url).pathname.slice(1)} owner to ${role}`);
    await query(url, `alter schema public owner to ${role}`);
    const database = await connectAsOwner(url);
    await database.migrations.up();
    await database.close();
  };
  /** Attempts an attack and rolls it back. Returns `done` or the SQLSTATE of the refusal. */
  const attempt = (attack: string): Promise<unknown> => outcomeOf(serving, `begin; ${attack}; rollback`);

  // All tests share a database: each takes the rights back that it gives.
  before(async () => {
    test = await createTestDatabase(migrate);
    serving = await asRole(test.url, 'excess');
    const names = {
      SERVING: new URL(serving).username,
      OWNER: new URL(await asRole(test.url, 'owner_of_excess')).username,
      GROUP: new URL(await asRole(test.url, 'group')).username,
      DATABASE: new URL(test.url).pathname.slice(1),
    };
    named = (text) => Object.entries(names).reduce((result, [key, name]) => result.replaceAll(key, `"${name}"`), text);
    // A copy belongs to the role that creates it.
    await administer('alter database DATABASE owner to OWNER');
    owner = await connectAsOwner(test.url);
    expect(await owner.migrations.grantTo(serving)).to.deep.include({ refused: [] });
  });
  after(async () => {
    await owner?.close();
    await test?.drop();
  });

  for (const { reason, given, attack, printed, reset } of EXCESSES) {
    it(`is refused until an administrator runs the printed statements, because it ${reason}`, async () => {
      try {
        await administer(given);
        expect(await attempt(named(attack))).to.equal('done');
        expect((await owner.migrations.grantTo(serving)).refused).to.deep.equal(printed.map(named));
        await administer(...printed);
        expect(await owner.migrations.grantTo(serving)).to.deep.include({ refused: [] });
        expect(await attempt(named(attack))).to.equal(REFUSED);
      } finally {
        await administer(...printed, ...(reset === undefined ? [] : [reset]));
      }
    });
  }

  for (const [right, given, attack] of [
    ['on a column', 'grant update (author_name) on audit_entry to SERVING', `update audit_entry set author_name = 'x'`],
    ['to create schemas', 'grant create on database DATABASE to SERVING', 'create schema other'],
    ['to create schemas that every role has', 'grant create on database DATABASE to public', 'create schema other'],
  ] as const) {
    it(`loses a right ${right}`, async () => {
      await administer(given);
      expect(await attempt(attack)).to.equal('done');
      const { granted, refused } = await owner.migrations.grantTo(serving);
      expect([granted.length, refused]).to.deep.equal([1, []]);
      expect(await attempt(attack)).to.equal(REFUSED);
    });
  }

  it('may belong to a role that has no rights in this database', async () => {
    await administer('grant GROUP to SERVING');
    const grants = await owner.migrations.grantTo(serving);
    await administer('revoke GROUP from SERVING');
    expect(grants).to.deep.include({ granted: [], refused: [] });
  });
});
