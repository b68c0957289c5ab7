import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { closeOrm, makeOrm } from '../src/connection/orm.ts';
import { makePool } from '../src/connection/pool.ts';
import { type InTransaction, makeInTransaction } from '../src/connection/transaction.ts';
import { entities } from '../src/schema/entities/index.ts';
import { useWorld } from './support/use-world.ts';

const ASK = { text: 'select 1' };
const KEEP = { text: 'insert into kept values ($1)' };

/** What something is refused with. */
const refusalOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('it is not refused'),
    (error: unknown) => error,
  );

describe('A transaction', () => {
  const world = useWorld();
  let pool: Pool;
  let orm: ReturnType<typeof makeOrm>;
  let inTransaction: InTransaction;
  const kept = async (): Promise<readonly number[]> =>
    (await world().sql.query<{ n: number }>('select n from kept order by n')).rows.map(({ n }) => n);

  before(async () => {
    await world().sql.query('create table kept (n int primary key); grant all on kept to public');
    // One connection: what one transaction leaves of it, the next one has.
    pool = makePool({ url: world().url, poolSize: 1 });
    orm = makeOrm(pool, { entities });
    inTransaction = makeInTransaction(orm);
  });
  beforeEach(() => world().sql.query('truncate kept'));
  after(() => orm && closeOrm(orm, pool));

  it('keeps what was sent without waiting, and leaves a connection that can be used', async () => {
    for (const n of [1, 2]) {
      await inTransaction(async (tx) => {
        await tx.query(ASK, []);
        tx.send(KEEP, [n]);
      });
    }
    expect(await kept()).to.deep.equal([1, 2]);
  });

  it('fails with what failed first, not with what came too late, and keeps nothing', async () => {
    const refusal = await refusalOf(
      inTransaction(async (tx) => {
        await tx.query(ASK, []);
        tx.send(KEEP, [1]);
        tx.send(KEEP, [1]);
        tx.send(KEEP, [2]);
        await tx.query(ASK, []);
      }),
    );
    expect(String(refusal)).to.include('SQLSTATE 23505');
    expect(await kept()).to.deep.equal([]);
  });

  it('fails with what was sent last as well, instead of reporting what was rolled back', async () => {
    const refusal = await refusalOf(
      inTransaction(async (tx) => {
        await tx.query(ASK, []);
        tx.send(KEEP, [1]);
        tx.send(KEEP, [1]);
      }),
    );
    expect(String(refusal)).to.include('SQLSTATE 23505');
    expect(await kept()).to.deep.equal([]);
  });

  it('tries again when what was sent is given up for the sake of another', async () => {
    let tries = 0;
    await inTransaction(async (tx) => {
      tries += 1;
      await tx.query(ASK, []);
      tx.send(KEEP, [tries]);
      if (tries < 3) tx.send({ text: `do $$ begin raise sqlstate '40P01'; end $$` }, []);
    });
    expect([tries, await kept()]).to.deep.equal([3, [3]]);
  });

  it('lets nothing be sent before the first answer, which tells that it has begun', async () => {
    const refusal = await refusalOf(inTransaction(async (tx) => tx.send(KEEP, [1])));
    expect(refusal).to.be.instanceOf(Error).and.not.instanceOf(DomainError);
    expect(await kept()).to.deep.equal([]);
  });
});
