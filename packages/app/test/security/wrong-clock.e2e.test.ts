import { expect } from 'chai';
import { Client as PgClient } from 'pg';
import { clientOf } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { execute } from '../../../../test-support/processes.ts';
import { type ServiceProcess, serveInProcess, testSettings } from '../../../../test-support/service-process.ts';
import { skip } from '../../../../test-support/skip.ts';
import { PASSWORD } from '../../../../test-support/two-services.ts';

const FAKETIME = '+16d';
const REFRESH_TOKEN_TTL = 14 * 86_400;

/** A program that deletes expired rows, as the service does every ten minutes, and prints their number. */
const PURGE = `
  import { readConfig } from './packages/app/src/config/config.ts';
  import { openDatabase } from './packages/app/src/database/open-database.ts';
  const database = await openDatabase(readConfig(process.env, 'command'));
  console.log(JSON.stringify((await database.purge()).deleted));
  await database.close();
`;

describe('An instance whose clock is 16 days ahead', () => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeFolder();
  const services: ServiceProcess[] = [];
  let settings: Record<string, string>;
  let wrongTime: Record<string, string>;
  let ops: string;

  before(async function () {
    const preload = await execute('faketime', ['-f', FAKETIME, 'printenv', 'LD_PRELOAD']).catch(() =>
      skip(this, 'faketime is not installed'),
    );
    const port = await freePort();
    ops = `http://127.0.0.1:${port}`;
    settings = { DATABASE_URL: database.url, DATA_DIR: dataDir };
    wrongTime = { LD_PRELOAD: preload.stdout.trim(), FAKETIME };
    services.push(
      await serveInProcess(settings),
      await serveInProcess({ ...settings, ...wrongTime, OPS_PORT: String(port) }),
    );
  });
  after(() => Promise.all(services.map(({ end }) => end())));

  const logIn = async (at: number) => {
    const anonymous = clientOf(services[at]?.url ?? '');
    return (await anonymous('POST', '/api/auth/login/', { username: 'leader', password: PASSWORD })).body;
  };
  const refresh = (at: number, token: string) =>
    clientOf(services[at]?.url ?? '')('POST', '/api/auth/tokens/', { refresh_token: token });
  const countSessions = async (): Promise<number> => {
    const client = new PgClient({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ count: number }>('select count(*)::int from session');
    await client.end();
    return rows[0]?.count ?? 0;
  };

  it('warns at /readyz', async () => {
    const response = await fetch(`${ops}/readyz`);
    expect(response.status).to.equal(200);
    const { clock, ...others } = (await response.json()) as Record<string, unknown>;
    expect(clock).to.match(/^the database's clock is 13824\d\d\.\d s behind the clock of this instance$/);
    expect(others).to.deep.equal({ reads: true, writes: true, locks: 'ok', hosts: 'ok', workers: true });
  });

  it('neither purges sessions of other instances nor lets them expire', async () => {
    const { access_token: accessToken, refresh_token: refreshToken } = await logIn(0);
    const sessions = await countSessions();
    const env = { PATH: process.env['PATH'] ?? '', ...testSettings, ...settings, ...wrongTime };
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', PURGE], { env });
    expect(Object.values(JSON.parse(stdout))).to.deep.equal([0, 0, 0, 0, 0, 0]);
    expect(await countSessions()).to.equal(sessions);
    expect((await clientOf(services[0]?.url ?? '', accessToken)('GET', '/api/info/')).status).to.equal(200);
    const refreshed = await refresh(1, refreshToken);
    expect(refreshed.body).to.include({ refresh_expires_in: REFRESH_TOKEN_TTL });
    expect((await refresh(0, refreshed.body.refresh_token)).status).to.equal(200);
  });

  it('starts sessions that other instances can continue', async () => {
    const begun = await logIn(1);
    expect(begun).to.include({ expires_in: 900, refresh_expires_in: REFRESH_TOKEN_TTL });
    const refreshed = await refresh(0, begun.refresh_token);
    expect(refreshed.body).to.include({ expires_in: 900, refresh_expires_in: REFRESH_TOKEN_TTL });
  });
});
