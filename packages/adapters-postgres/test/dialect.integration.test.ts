import { expectRefusal } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Pool, PoolClient } from 'pg';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../test-support/breakable-network.ts';
import { closeOrm, makeOrm } from '../src/connection/orm.ts';
import { makePool, streamOf } from '../src/connection/pool.ts';
import { type InTransaction, makeInTransaction } from '../src/connection/transaction.ts';
import { DivisionEntity } from '../src/schema/entities/division-entity.ts';
import { entities } from '../src/schema/entities/index.ts';
import { divisionNamed } from './support/division-named.ts';
import { useWorld } from './support/use-world.ts';

const POOL_SIZE = 5;
const SELECT = { text: 'select 1' };
const READ = { text: 'select 1', isReadOnly: true };
const INSERT = { text: 'insert into stored values ($1)' };
const TERMINATE = { text: 'select pg_terminate_backend(pg_backend_pid())' };

/** Returns the error that `work` is rejected with. */
const rejectionOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('not rejected'),
    (error: unknown) => error,
  );

describe('The dialect', () => {
  const world = useWorld();
  let network: BreakableNetwork;
  let pool: Pool;
  let orm: ReturnType<typeof makeOrm>;
  let inTransaction: InTransaction;
  const stored = async (): Promise<readonly number[]> =>
    (await world().sql.query<{ n: number }>('select n from stored order by n')).rows.map(({ n }) => n);
  const usedConnections = (): number => pool.totalCount - pool.idleCount;
  const insert = (n: number): Promise<unknown> => inTransaction((tx) => tx.query(INSERT, [n]));

  before(() => world().sql.query('create table stored (n int primary key); grant all on stored to public'));
  beforeEach(async () => {
    await world().sql.query('truncate stored');
    network = await makeBreakableNetwork(world().url);
    pool = makePool({ url: network.url, poolSize: POOL_SIZE, acquireTimeoutMs: 1000 });
    orm = makeOrm(pool, { entities });
    inTransaction = makeInTransaction(orm, pool);
  });
  afterEach(async () => {
    await closeOrm(orm, pool);
    await network.close();
  });

  /** Makes BEGIN fail on every new connection. Returns the statements that the connections send, in order. */
  const failToBegin = (): readonly string[] => {
    const statements: string[] = [];
    pool.on('connect', (client: PoolClient) => {
      const run = client.query.bind(client) as (...query: unknown[]) => unknown;
      const query = (statement: string | { readonly text: string }, ...more: unknown[]): unknown => {
        const text = typeof statement === 'string' ? statement : statement.text;
        statements.push(text);
        return run(text === 'begin' ? 'begin nonsense' : statement, ...more);
      };
      Object.assign(client, { query });
    });
    return statements;
  };

  it('keeps no connection in use after the server has terminated all of them', async () => {
    await Promise.all(
      Array.from({ length: POOL_SIZE }, () =>
        expectRefusal(
          'unavailable',
          inTransaction((tx) => tx.query(TERMINATE, [])),
        ),
      ),
    );
    expect(usedConnections()).to.equal(0);
    await insert(1);
    expect(await stored()).to.deep.equal([1]);
  });

  for (const text of ['begin', 'commit']) {
    for (const moment of ['before', 'after'] as const) {
      it(`keeps no connection in use that is lost ${moment} ${text}`, async () => {
        for (let time = 0; time < POOL_SIZE + 1; time++) {
          network.cutAt(text, moment);
          await expectRefusal(
            'unavailable',
            inTransaction((tx) => tx.query(SELECT, [])),
          );
        }
        expect([usedConnections(), pool.waitingCount]).to.deep.equal([0, 0]);
        await insert(1);
        expect(await stored()).to.deep.equal([1]);
      });
    }
  }

  it('does not run a first statement that writes when BEGIN fails', async () => {
    const statements = failToBegin();
    expect(String(await rejectionOf(insert(1)))).to.include('SQLSTATE 42601');
    expect(statements).to.deep.equal(['begin', 'rollback']);
    expect(await stored()).to.deep.equal([]);
  });

  it('does not flush when BEGIN fails', async () => {
    const statements = failToBegin();
    const flushed = inTransaction(async (tx) => {
      const em = await tx.em();
      em.create(DivisionEntity, divisionNamed('North'));
      await em.flush();
    });
    expect(String(await rejectionOf(flushed))).to.include('SQLSTATE 42601');
    expect(statements).to.deep.equal(['begin', 'rollback']);
  });

  it('sends a first read-only statement together with BEGIN, and nothing more when BEGIN fails', async () => {
    const statements = failToBegin();
    const refused = inTransaction(async (tx) => {
      await tx.query(READ, []);
      await tx.query(INSERT, [1]);
    });
    expect(String(await rejectionOf(refused))).to.include('SQLSTATE 42601');
    expect(statements).to.deep.equal(['begin', READ.text, 'rollback']);
    expect(await stored()).to.deep.equal([]);
  });

  it('writes BEGIN and the first read-only statement to the socket at once, and the sent statements with COMMIT', async () => {
    const run = () =>
      inTransaction(async (tx) => {
        await tx.query(READ, []);
        tx.send(SELECT, []);
        tx.send(SELECT, []);
      });
    let writes = 0;
    pool.on('connect', (client: PoolClient) => {
      const stream = streamOf(client);
      for (const method of ['_write', '_writev']) {
        const write = Reflect.get(stream, method) as (...chunk: unknown[]) => void;
        const count = (...chunk: unknown[]): void => {
          writes += 1;
          write.apply(stream, chunk);
        };
        Reflect.set(stream, method, count);
      }
    });
    await run();
    writes = 0;
    await run();
    expect(writes).to.equal(2);
  });

  it('rejects a commit that the server turns into a rollback', async () => {
    const outcome = inTransaction(async (tx) => {
      await tx.query(INSERT, [1]);
      await tx.query(INSERT, [1]).catch(() => {});
    });
    expect(String(await rejectionOf(outcome))).to.include('rolled back');
    expect(await stored()).to.deep.equal([]);
    expect(usedConnections()).to.equal(0);
  });

  it('commits or rolls back a flush and a statement together', async () => {
    const store = (fails: boolean): Promise<unknown> =>
      inTransaction(async (tx) => {
        const em = await tx.em();
        em.create(DivisionEntity, divisionNamed(fails ? 'South' : 'North'));
        await em.flush();
        await tx.query(INSERT, [fails ? 2 : 1]);
        if (fails) throw new Error('undo');
      });
    await store(false);
    expect(String(await rejectionOf(store(true)))).to.equal('Error: undo');
    expect(await stored()).to.deep.equal([1]);
    const { rows } = await world().sql.query<{ name: string }>('select name from division');
    expect(rows).to.deep.equal([{ name: 'North' }]);
  });

  it('reads through the ORM what an earlier statement of the same transaction wrote', async () => {
    const name = await inTransaction(async (tx) => {
      const division = divisionNamed('North');
      const em = await tx.em();
      em.create(DivisionEntity, division);
      await em.flush();
      em.clear();
      await tx.query({ text: 'update division set name = $2 where id = $1' }, [division.id, 'East']);
      return (await em.findOneOrFail(DivisionEntity, { id: division.id })).name;
    });
    expect(name).to.equal('East');
  });

  it('rolls a nested transaction back to its savepoint and commits the rest', async () => {
    await inTransaction(async (tx) => {
      await tx.query(INSERT, [1]);
      const em = await tx.em();
      await em
        .transactional(async (nested) => {
          nested.create(DivisionEntity, divisionNamed('North'));
          await nested.flush();
          throw new Error('undo');
        })
        .catch(() => {});
      await em.transactional(async (nested) => {
        nested.create(DivisionEntity, divisionNamed('South'));
      });
      await tx.query(INSERT, [2]);
    });
    expect(await stored()).to.deep.equal([1, 2]);
    const { rows } = await world().sql.query<{ name: string }>('select name from division');
    expect(rows).to.deep.equal([{ name: 'South' }]);
  });

  it('throws the error of the domain for a duplicate unique value in a flush', async () => {
    const store = () =>
      inTransaction(async (tx) => {
        (await tx.em()).create(DivisionEntity, divisionNamed('North'));
      });
    await store();
    await expectRefusal('name_taken', store());
  });

  for (const code of ['40001', '40P01']) {
    for (const how of ['a statement', 'a flush'] as const) {
      it(`runs again when ${how} is refused with ${code}`, async () => {
        await world().sql.query(`create or replace function refuse() returns trigger language plpgsql as
          $$ begin raise sqlstate '${code}'; end $$`);
        await world().sql.query('create or replace trigger refuse before insert on division execute function refuse()');
        let attempts = 0;
        await inTransaction(async (tx) => {
          attempts += 1;
          await tx.query(INSERT, [attempts]);
          if (attempts === 3) return;
          if (how === 'a flush') (await tx.em()).create(DivisionEntity, divisionNamed('North'));
          else await tx.query({ text: `do $$ begin raise sqlstate '${code}'; end $$` }, []);
        });
        await world().sql.query('drop trigger refuse on division');
        expect([attempts, await stored()]).to.deep.equal([3, [3]]);
      });
    }
  }

  it('begins with the isolation level that the caller of the ORM asks for', async () => {
    const [row] = await orm.em.transactional(
      (em) => em.execute<{ transaction_isolation: string }[]>('show transaction_isolation'),
      { isolationLevel: 'repeatable read' },
    );
    expect(row?.transaction_isolation).to.equal('repeatable read');
  });
});
