import { actorOf, authorOf, type ListExport, listQuery, type User, type UserListField } from '@chapter/domain/ports';
import { aDivision, aUser, expectRefusal, outcomesOf } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Client } from 'pg';
import { makeUnpooledClients, type OpenTransaction } from '../../src/connection/unpooled-clients.ts';
import { type ListExportOptions, makeListExports } from '../../src/exports/list-exports.ts';
import type { Database, PostgresOptions } from '../../src/index.ts';
import { storeAll } from '../support/store-all.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const EVERYTHING = listQuery<UserListField>({ order: ['username'] });
const MEMBERS = 600;
/** A statement that does not end, in place of the rows of a list. */
const ENDLESS = 'declare exported no scroll cursor for select pg_sleep(3600)';

const itemsOf = async <Item>({ batches }: ListExport<Item>): Promise<readonly (readonly Item[])[]> =>
  Array.fromAsync(batches);

describe('Exports of lists on PostgreSQL', () => {
  const world = useWorld();
  const division = aDivision();
  const members: readonly User[] = Array.from({ length: MEMBERS }, (_, at) => ({
    ...aUser().of(division),
    username: `u${String(at).padStart(4, '0')}`,
  }));
  const author = authorOf(actorOf(members[0] ?? expect.fail()));
  const toClose: (() => Promise<void>)[] = [];
  beforeEach(() => storeAll(world(), members));
  afterEach(async () => {
    for (const close of toClose.splice(0)) await close();
  });

  const connect = (options: Partial<PostgresOptions> = {}): Database => world().connect({ poolSize: 1, ...options });
  const open = ({ listExports }: Pick<Database, 'listExports'> = world()) =>
    listExports.users(author, division.id, EVERYTHING, () => {});
  /** Makes exports with other options. `wrap` may change their connections, `record` what writes the audit entry. */
  const exportsWith = (
    options: ListExportOptions,
    { wrap = (client: Client): void => void client, record = async (): Promise<void> => {} } = {},
  ): Pick<Database, 'listExports'> => {
    const { openTransaction, close } = makeUnpooledClients({ url: world().url });
    toClose.push(close);
    const openWrapped: OpenTransaction = async (begin) => {
      const client = await openTransaction(begin);
      wrap(client);
      return client;
    };
    return { listExports: makeListExports(openWrapped, record, options) };
  };
  /** Replaces the statement of an export by an endless one. */
  const makeEndless = (client: Client): void => {
    const query: Client['query'] = client.query.bind(client);
    client.query = ((sent: unknown, ...rest: unknown[]) =>
      typeof sent === 'string' && sent.startsWith('declare')
        ? query(ENDLESS)
        : Reflect.apply(query, client, [sent, ...rest])) as Client['query'];
  };
  const countExports = async (): Promise<number> => {
    const { rows } = await world().sql.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity where datname = current_database() and application_name = 'chapter' and (query like 'fetch%' or query like 'declare%')`,
    );
    return rows[0]?.count ?? 0;
  };
  const untilExports = (count: number) => until(async () => (await countExports()) === count);

  it('read rows in batches of bounded size', async () => {
    const batches = await itemsOf(await open());
    expect(batches.flat().map(({ username }) => username)).to.deep.equal(members.map(({ username }) => username));
    expect(batches.length).to.be.greaterThan(2);
    expect(Math.max(...batches.map(({ length }) => length))).to.be.at.most(250);
    await untilExports(0);
  });

  it('do not use the pool', async () => {
    const database = connect();
    const both = [await open(database), await open(database)];
    expect((await database.users.find(members[0]?.id ?? ''))?.username).to.equal('u0000');
    for (const one of both) await one.close();
  });

  it('read from the primary, also if there are replicas', async () => {
    const database = connect({ replicaUrls: ['postgresql://127.0.0.1:1/none'] });
    expect((await itemsOf(await open(database))).flat()).to.have.length(MEMBERS);
  });

  it('end on the server within a second or two when they are closed, also while a statement runs', async () => {
    const opened = await open(exportsWith({}, { wrap: makeEndless }));
    const reading = itemsOf(opened);
    await untilExports(1);
    await opened.close();
    await expectRefusal('unavailable', reading);
    await untilExports(0);
  });

  it('end after their time limit, also while a statement runs', async () => {
    const reading = open(exportsWith({ timeLimitMs: 100 }, { wrap: makeEndless })).then(itemsOf);
    const { cause } = await expectRefusal('unavailable', reading);
    expect(cause).to.have.property('message', 'the export took too long');
    await untilExports(0);
  });

  it('are refused if opening them takes longer than their time limit', async () => {
    const { cause } = await expectRefusal('unavailable', open(exportsWith({ timeLimitMs: 1 })));
    expect(cause).to.have.property('message', 'the export took too long');
    await untilExports(0);
  });

  it('end after their time limit if their items are not read', async () => {
    // On a slow machine, a short limit ends an export before it is open.
    for (let [timeLimitMs, isOpened] = [200, false]; !isOpened; timeLimitMs *= 2) {
      const { values } = await outcomesOf([open(exportsWith({ timeLimitMs }))]);
      for (const { batches } of values) {
        await untilExports(0);
        await expectRefusal('unavailable', Array.fromAsync(batches));
        isOpened = true;
      }
    }
  });

  it('fail when their connection is lost, and free their slot', async () => {
    const database = connect();
    for (let time = 0; time < 3; time++) {
      const batches = (await open(database)).batches[Symbol.asyncIterator]();
      await batches.next();
      await world().sql.query(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'fetch%'`);
      await untilExports(0);
      await expectRefusal('unavailable', Promise.resolve(batches.next()));
    }
  });

  it('are refused without a database or an audit entry, and free their slot', async () => {
    const database = connect({ url: 'postgresql://127.0.0.1:1/none' });
    const failure = new Error('the audit trail is full');
    const unrecorded = exportsWith({}, { record: () => Promise.reject(failure) });
    for (let time = 0; time < 3; time++) {
      await expectRefusal('unavailable', open(database));
      expect(await open(unrecorded).catch((error: unknown) => error)).to.equal(failure);
    }
    await untilExports(0);
  });

  it('are refused beyond two, also when they are opened concurrently', async () => {
    const database = connect();
    const { values, refused } = await outcomesOf([open(database), open(database), open(database)]);
    expect([values.length, refused]).to.deep.equal([2, ['unavailable']]);
    for (const one of values) await one.close();
  });

  it('are limited to two among the processes of an instance, and for each instance', async () => {
    const processes = [connect({ instanceKey: 7 }), connect({ instanceKey: 7 })] as const;
    const other = connect({ instanceKey: 8 });
    const opened = [await open(processes[0]), await open(processes[1]), await open(other), await open(other)];
    await expectRefusal('unavailable', open(processes[0]));
    await expectRefusal('unavailable', open(processes[1]));
    await opened[0]?.close();
    // The server may need a moment to notice the closed connection.
    await until(async () => (await outcomesOf([open(processes[1])])).values.length > 0);
    for (const one of opened) await one.close();
  });

  it('end when the database is closed', async () => {
    const database = connect();
    const batches = (await open(database)).batches[Symbol.asyncIterator]();
    await batches.next();
    await database.close();
    await untilExports(0);
    await expectRefusal('unavailable', Promise.resolve(batches.next()));
    await expectRefusal('unavailable', open(database));
  });
});
