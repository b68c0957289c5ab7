import { expect } from 'chai';
import { sql } from 'kysely';
import {
  defineStatement,
  type Parameters,
  pickParameters,
  type Runner,
  type Statement,
} from '../../src/connection/statement.ts';
import { db } from '../../src/schema/tables.ts';

const makeRecorder = () => {
  const ran: { statement: Statement; values: readonly unknown[] }[] = [];
  const runner: Runner = {
    query: async (statement, values) => {
      ran.push({ statement, values });
      return [];
    },
  };
  return { ran, runner };
};

describe('A fixed statement', () => {
  it('passes values by parameter name, once for each occurrence of a parameter, and keeps constants', async () => {
    const find = defineStatement(
      'find',
      (value: Parameters<{ id: string; name: string }>) =>
        db
          .selectFrom('division')
          .select('name')
          .where('name', '=', value('name'))
          .where('version', '=', 7)
          .where('id', '=', value('id'))
          .where('name_key', '<>', sql<string>`lower(${value('name')})`),
      { columns: ['name'], isReadOnly: true },
    );
    const { ran, runner } = makeRecorder();
    await find.run(runner, { id: 'i', name: 'n' });
    await find.run(runner, { id: 'j', name: 'm' });
    expect(ran.map(({ values }) => values)).to.deep.equal([
      ['n', 7, 'i', 'n'],
      ['m', 7, 'j', 'm'],
    ]);
    expect(ran[0]?.statement).to.deep.equal({
      name: 'find',
      text: 'select "name" from "division" where "name" = $1 and "version" = $2 and "id" = $3 and "name_key" <> lower($4)',
      isReadOnly: true,
    });
    // The statement is compiled only once.
    expect(ran[1]?.statement).to.equal(ran[0]?.statement);
  });

  it('is not read-only and has no name by default', () => {
    const { statement } = defineStatement(undefined, () => db.deleteFrom('session'));
    expect(statement).to.deep.equal({ text: 'delete from "session"', isReadOnly: false });
  });

  it('writes parameters to the columns with their names', () => {
    const { statement } = defineStatement('keep', (key: Parameters<{ key: string; points: number }>) =>
      db.insertInto('login_limit').values({ ...pickParameters(key, ['points', 'key']), expire: null }),
    );
    expect(statement.text).to.equal('insert into "login_limit" ("points", "key", "expire") values ($1, $2, $3)');
  });

  it('does not compile with an unknown table, column or type', () => {
    const find = defineStatement(
      'find',
      (value: Parameters<{ id: string }>) =>
        db.selectFrom('user_account').select(['id', 'groups', 'email']).where('id', '=', value('id')),
      { columns: ['id', 'groups', 'email'] },
    );
    const check = async ({ runner }: ReturnType<typeof makeRecorder>) => {
      const [row = ['', '', null]] = await find.run(runner, { id: '' });
      const email: string | null = row[2];
      // @ts-expect-error it may be null
      const address: string = row[2];
      // @ts-expect-error there is no fourth column
      expect([email, address, row[3]]).to.have.lengthOf(3);
      // @ts-expect-error the parameter is missing
      await find.run(runner, {});
      // @ts-expect-error the parameter is a text
      await find.run(runner, { id: 1 });
    };
    expect(check).to.be.a('function');
    type Id = Parameters<{ id: string }>;
    const divisions = db.selectFrom('division').select('id');
    // @ts-expect-error no such table
    defineStatement('table', () => db.selectFrom('users').select('id'));
    // @ts-expect-error no such column
    defineStatement('column', () => db.selectFrom('user_account').select('user_name'));
    // @ts-expect-error a version is a number
    defineStatement('value', (value: Id) => divisions.where('version', '=', value('id')));
    // @ts-expect-error the database generates it
    defineStatement('generated', () => db.updateTable('user_account').set({ search: '' }));
    // @ts-expect-error a division needs a name
    defineStatement('missing', () => db.insertInto('division').values({ id: '', name_key: '' }));
    // @ts-expect-error not selected
    defineStatement('other', () => divisions, { columns: ['name'] });
  });
});
