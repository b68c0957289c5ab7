import { DomainError } from '@chapter/domain';
import type { EntityManager } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { closeOrm, makeOrm } from '../src/connection/orm.ts';
import { makePool } from '../src/connection/pool.ts';
import { type InTransaction, makeInTransaction } from '../src/connection/transaction.ts';
import { DivisionEntity } from '../src/schema/entities/division-entity.ts';
import { entities } from '../src/schema/entities/index.ts';
import { divisionNamed } from './support/division-named.ts';
import { useWorld } from './support/use-world.ts';

const SELECT = { text: 'select 1' };
const INSERT = { text: 'insert into stored values ($1)' };

/** Returns the error that `work` is rejected with. */
const rejectionOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('not rejected'),
    (error: unknown) => error,
  );

describe('A transaction', () => {
  const world = useWorld();
  let pool: Pool;
  let orm: ReturnType<typeof makeOrm>;
  let inTransaction: InTransaction;
  const stored = async (): Promise<readonly number[]> =>
    (await world().sql.query<{ n: number }>('select n from stored order by n')).rows.map(({ n }) => n);

  before(async () => {
    await world().sql.query('create table stored (n int primary key); grant all on stored to public');
    // One connection, so that a transaction inherits the state that the previous one left.
    pool = makePool({ url: world().url, poolSize: 1 });
    orm = makeOrm(pool, { entities });
    inTransaction = makeInTransaction(orm, pool);
  });
  beforeEach(() => world().sql.query('truncate stored'));
  after(() => orm && closeOrm(orm, pool));

  it('commits statements that were sent without waiting, and leaves a usable connection', async () => {
    for (const n of [1, 2]) {
      await inTransaction(async (tx) => {
        await tx.query(SELECT, []);
        tx.send(INSERT, [n]);
      });
    }
    expect(await stored()).to.deep.equal([1, 2]);
  });

  it('fails with the first error, not with errors that follow from it, and rolls back', async () => {
    const rejection = await rejectionOf(
      inTransaction(async (tx) => {
        await tx.query(SELECT, []);
        tx.send(INSERT, [1]);
        tx.send(INSERT, [1]);
        tx.send(INSERT, [2]);
        await tx.query(SELECT, []);
      }),
    );
    expect(String(rejection)).to.include('SQLSTATE 23505');
    expect(await stored()).to.deep.equal([]);
  });

  it('fails with the error of the last sent statement', async () => {
    const rejection = await rejectionOf(
      inTransaction(async (tx) => {
        await tx.query(SELECT, []);
        tx.send(INSERT, [1]);
        tx.send(INSERT, [1]);
      }),
    );
    expect(String(rejection)).to.include('SQLSTATE 23505');
    expect(await stored()).to.deep.equal([]);
  });

  it('runs again when a sent statement fails in a deadlock', async () => {
    let attempts = 0;
    await inTransaction(async (tx) => {
      attempts += 1;
      await tx.query(SELECT, []);
      tx.send(INSERT, [attempts]);
      if (attempts < 3) tx.send({ text: `do $$ begin raise sqlstate '40P01'; end $$` }, []);
    });
    expect([attempts, await stored()]).to.deep.equal([3, [3]]);
  });

  it('rejects a statement that is sent before the first response, because it may not have begun', async () => {
    const rejection = await rejectionOf(inTransaction(async (tx) => tx.send(INSERT, [1])));
    expect(rejection).to.be.instanceOf(Error).and.not.instanceOf(DomainError);
    expect(await stored()).to.deep.equal([]);
  });

  it('flushes what is created through each call of em(), because all calls return the same unit of work', async () => {
    const create = async (em: Promise<EntityManager>, name: string): Promise<void> => {
      (await em).create(DivisionEntity, divisionNamed(name));
    };
    await inTransaction(async (tx) => {
      await Promise.all([create(tx.em(), 'North'), create(tx.em(), 'South')]);
      await create(tx.em(), 'East');
    });
    const { rows } = await world().sql.query<{ name: string }>('select name from division order by name');
    expect(rows.map(({ name }) => name)).to.deep.equal(['East', 'North', 'South']);
  });
});
