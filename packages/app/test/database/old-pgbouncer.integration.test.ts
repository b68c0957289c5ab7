import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { hasPgbouncer, startPgbouncer, tracksPreparedStatements } from '../../../../test-support/pgbouncer.ts';
import { skip } from '../../../../test-support/skip.ts';
import { call } from '../cli/call.ts';

describe('A database behind a pgbouncer that does not track prepared statements', () => {
  const test = useTestDatabase();
  before('pgbouncer is installed', function () {
    if (!hasPgbouncer()) skip(this, 'pgbouncer is not installed');
  });

  for (const [mode, status, error] of [
    ['session', 0, ''],
    [
      'transaction',
      1,
      'a pooler in front of it confuses the prepared statements of its clients: use session mode, or pgbouncer 1.21 or newer with max_prepared_statements = 200; check DATABASE_URL.',
    ],
  ] as const) {
    it(`is ${status === 0 ? 'used' : 'refused with one sentence'} in ${mode} mode`, async () => {
      // From 1.21 on, this setting restores what older versions do.
      const settings = tracksPreparedStatements() ? { max_prepared_statements: '0' } : {};
      const bouncer = await startPgbouncer(test.url, { pool_mode: mode, ...settings });
      // Twice, because the server connection keeps the statements of the first call.
      for (let time = 0; time < 2; time += 1) {
        const { err, status: actual } = await call(['migrate', '--status'], {
          variables: { DATABASE_URL: bouncer.url },
        });
        expect(err).to.contain(error);
        expect(actual, err).to.equal(status);
      }
      const diagnosed = await call(['doctor', '--format', 'csv'], { variables: { DATABASE_URL: bouncer.url } });
      expect(diagnosed.out.includes('\r\npooler,')).to.equal(status !== 0);
      await bouncer.stop();
    });
  }
});
