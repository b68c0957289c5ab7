import { DomainError, type Tracer } from '@chapter/domain/ports';
import { expectRefusal } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { PoolClient } from 'pg';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { type HostPool, makePool } from '../../src/connection/pool.ts';
import { streamOf } from '../../src/connection/silence.ts';
import { makeRunTransaction, type RunTransaction, type Transaction } from '../../src/connection/transaction.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const POOL_SIZE = 5;
const SELECT = { text: 'select 1' };
const READ = { text: 'select 1', isReadOnly: true };
const INSERT = { text: 'insert into stored values ($1)' };
const TERMINATE = { text: 'select pg_terminate_backend(pg_backend_pid())' };

/** Returns a statement that the server refuses with a SQLSTATE. */
const raise = (code: string) => ({ text: `do $$ begin raise sqlstate '${code}'; end $$` });

/** Returns the error that `work` is rejected with. */
const rejectionOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('not rejected'),
    (error: unknown) => error,
  );

describe('A transaction', () => {
  const world = useWorld();
  let pool: HostPool;
  let inTransaction: RunTransaction;
  const stored = async (): Promise<readonly number[]> =>
    (await world().sql.query<{ n: number }>('select n from stored order by n')).rows.map(({ n }) => n);

  before(async () => {
    await world().sql.query('create table stored (n int primary key); grant all on stored to public');
    // One connection, so that a transaction inherits the state that the previous one left.
    pool = makePool({ url: world().url, poolSize: 1 });
    inTransaction = makeRunTransaction(pool);
  });
  beforeEach(() => world().sql.query('truncate stored'));
  after(() => pool?.end());

  it('commits statements that were sent without waiting, and leaves a usable connection', async () => {
    for (const n of [1, 2]) {
      await inTransaction(async (tx) => {
        await tx.query(SELECT, []);
        tx.send(INSERT, [n]);
      });
    }
    expect(await stored()).to.deep.equal([1, 2]);
  });

  for (const [title, follow] of [
    ['the error of the last sent statement', () => {}],
    [
      'the first error, not with errors that follow from it',
      (tx: Transaction) => {
        tx.send(INSERT, [2]);
        return tx.query(SELECT, []);
      },
    ],
  ] as const) {
    it(`fails with ${title}, and rolls back`, async () => {
      const rejection = await rejectionOf(
        inTransaction(async (tx) => {
          await tx.query(SELECT, []);
          for (const n of [1, 1]) tx.send(INSERT, [n]);
          await follow(tx);
        }),
      );
      expect(String(rejection)).to.include('SQLSTATE 23505');
      expect(await stored()).to.deep.equal([]);
    });
  }

  for (const way of ['query', 'send'] as const) {
    for (const code of ['40001', '40P01']) {
      it(`runs again when a statement of ${way} is refused with ${code}, and a trace shows that`, async () => {
        let [attempts, events] = [0, 0];
        const tracer: Tracer = { span: (_kind, _name, work) => work(), event: () => void (events += 1) };
        const before = pool.incidents.repeated;
        const traced = makeRunTransaction(pool, tracer);
        await traced(async (tx) => {
          attempts += 1;
          await tx.query(INSERT, [attempts]);
          if (attempts < 3) await tx[way](raise(code), []);
        });
        expect([attempts, events, pool.incidents.repeated - before, await stored()]).to.deep.equal([3, 2, 2, [3]]);
      });
    }
  }

  it('runs once when a statement waits too long for a lock, because each attempt would wait as long', async () => {
    let attempts = 0;
    const rejection = await rejectionOf(
      inTransaction(async (tx) => {
        attempts += 1;
        await tx.query(raise('55P03'), []);
      }),
    );
    expect(rejection).to.include({ code: 'unavailable', retryAfter: 1 });
    expect(attempts).to.equal(1);
  });

  it('fails with the reason for which the server closed the connection between two statements', async () => {
    const rejection = await rejectionOf(
      inTransaction(async (tx) => {
        const [[pid] = []] = await tx.query<[number]>({ text: 'select pg_backend_pid()' }, []);
        await tx.query({ text: 'set local idle_in_transaction_session_timeout = 1' }, []);
        const backend = 'select from pg_stat_activity where pid = $1';
        await until(async () => (await world().sql.query(backend, [pid])).rowCount === 0);
        return tx.query(SELECT, []);
      }),
    );
    expect(rejection).to.include({ code: 'unavailable' });
    expect(String((rejection as DomainError).cause)).to.include('SQLSTATE 25P03');
    await inTransaction((tx) => tx.query(SELECT, []));
  });

  it('rejects a statement that is sent before the first response, because it may not have begun', async () => {
    const rejection = await rejectionOf(inTransaction(async (tx) => tx.send(INSERT, [1])));
    expect(rejection).to.be.instanceOf(Error).and.not.instanceOf(DomainError);
    expect(await stored()).to.deep.equal([]);
  });

  describe('on an unreliable network', () => {
    let network: BreakableNetwork;
    let pool: HostPool;
    let inTransaction: RunTransaction;
    const usedConnections = (): number => pool.totalCount - pool.idleCount;
    const insert = (n: number): Promise<unknown> => inTransaction((tx) => tx.query(INSERT, [n]));

    beforeEach(async () => {
      network = await makeBreakableNetwork(world().url);
      pool = makePool({ url: network.url, poolSize: POOL_SIZE, acquireTimeoutMs: 10_000 });
      inTransaction = makeRunTransaction(pool);
    });
    afterEach(async () => {
      await pool.end();
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
  });
});
