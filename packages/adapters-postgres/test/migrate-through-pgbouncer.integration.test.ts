import { makeSequentialIds, makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useTestDatabase } from '../../../test-support/database.ts';
import { hasPgbouncer, startPgbouncer } from '../../../test-support/pgbouncer.ts';
import { skip } from '../../../test-support/skip.ts';
import { connectPostgres } from '../src/index.ts';

describe('Migrations through pgbouncer', () => {
  const test = useTestDatabase();

  it('run once in transaction mode, by several instances that share one server connection under an alias', async function () {
    if (!hasPgbouncer()) skip(this, 'there is no pgbouncer');
    const settings = { pool_mode: 'transaction', default_pool_size: '1' };
    const bouncer = await startPgbouncer(test.url, settings, 'membership');
    const options = { url: bouncer.url, clock: makeSettableClock(), ids: makeSequentialIds() };
    const instances = [connectPostgres(options), connectPostgres(options), connectPostgres(options)];
    const run = await Promise.all(instances.map(({ migrations }) => migrations.up()));
    expect(run.flat()).to.have.members(instances[0]?.migrations.names ?? []);
    await Promise.all(instances.map((instance) => instance.close()));
    await bouncer.stop();
  });
});
