import { OPERATOR } from '@chapter/domain';
import { makeSequentialIds, makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { hasPgbouncer, startPgbouncer } from '../../../../test-support/pgbouncer.ts';
import { query } from '../../../../test-support/query.ts';
import { skip } from '../../../../test-support/skip.ts';
import { connectPostgres } from '../../src/index.ts';

describe('Migrations through pgbouncer', () => {
  const test = useTestDatabase();

  it('run once in transaction mode when several instances share one server connection under an alias', async function () {
    if (!hasPgbouncer()) skip(this, 'pgbouncer is not installed');
    const settings = { pool_mode: 'transaction', default_pool_size: '1' };
    const bouncer = await startPgbouncer(test.url, settings, 'membership');
    const options = { url: bouncer.url, clock: makeSettableClock(), ids: makeSequentialIds() };
    const instances = [connectPostgres(options), connectPostgres(options), connectPostgres(options)];
    const run = await Promise.all(instances.map(({ migrations }) => migrations.up()));
    expect(run.flat()).to.have.members(instances[0]?.migrations.names ?? []);
    await Promise.all(instances.map((instance) => instance.close()));
    await bouncer.stop();
  });

  it('and bulk work restore the time limits of the server connection for its next client', async function () {
    if (!hasPgbouncer()) skip(this, 'pgbouncer is not installed');
    const limits = ['statement_timeout', 'idle_in_transaction_session_timeout'];
    for (const name of limits) {
      await query(test.url, `alter database ${new URL(test.url).pathname.slice(1)} set ${name} = '15s'`);
    }
    const bouncer = await startPgbouncer(test.url, { pool_mode: 'transaction', default_pool_size: '1' });
    const database = connectPostgres({ url: bouncer.url, clock: makeSettableClock(), ids: makeSequentialIds() });
    for (const run of [
      () => database.migrations.up(),
      () => database.exportInBulk(OPERATOR, {}, { withHashes: false }),
      () => database.loadInBulk(OPERATOR, async () => {}),
    ]) {
      await run();
      for (const name of limits) {
        const [row] = await query(bouncer.url, `select current_setting('${name}') as limit`);
        expect(row, name).to.deep.equal({ limit: '15s' });
      }
    }
    await database.close();
    await bouncer.stop();
  });
});
