import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { serverUser } from '../packages/app/src/embedded/postmaster.ts';
import { call } from '../packages/app/test/cli/call.ts';
import { codeBlocks } from '../test-support/code-blocks.ts';
import { freePort } from '../test-support/free-port.ts';
import { query } from '../test-support/query.ts';
import { skip } from '../test-support/skip.ts';

/** The folder of a PostgreSQL that Debian's packages have installed; the embedded one lacks pg_basebackup. */
const binaries = globSync('/usr/lib/postgresql/*/bin').find((folder) =>
  ['initdb', 'pg_basebackup', 'pg_ctl'].every((program) => existsSync(join(folder, program))),
);

/** Returns the shell commands of docs/postgresql.md that contain a text. */
const commandsWith = (text: string): string =>
  codeBlocks(readFileSync('docs/postgresql.md', 'utf8'), 'sh').find((code) => code.includes(text)) ??
  expect.fail(`no commands with ${text}`);

describe('Point-in-time recovery with the commands of docs/postgresql.md', () => {
  // The server's user must reach the folder.
  const folder = mkdtempSync('/tmp/chapter-test-recovery-');
  const [archive, data] = [join(folder, 'archive'), join(folder, 'data')];
  const user = serverUser('');
  let port = 0;
  let url = '';

  /** Runs shell commands as the user of the server, with the folders of this test. */
  const run = (commands: string): void => {
    const here = commands
      .replaceAll('/var/backups/postgresql', archive)
      .replaceAll(/\/var\/lib\/postgresql\/\d+\/main/g, data)
      .replaceAll('runuser -u postgres -- ', '')
      .replaceAll(' --owner postgres', '')
      .replace(/^chown .*$/m, '');
    const env = {
      PATH: `${binaries}:${process.env['PATH']}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: 'postgres',
    };
    const { status, stderr, stdout } = spawnSync('sh', ['-e', '-c', here], {
      ...user,
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect(status, `${here}\n${stdout}${stderr}`).to.equal(0);
  };
  const control = (command: string): void =>
    run(
      `pg_ctl --pgdata=${data} --wait --log=${folder}/log --options='-p ${port} -k "" -h 127.0.0.1' ${command} > /dev/null`,
    );
  const names = async (): Promise<unknown> =>
    (await query(url, 'select name from division order by name')).map(({ name }) => name);
  const create = async (name: string): Promise<void> => {
    const { status, err } = await call(['divisions', 'create', '--name', name], { variables: { DATABASE_URL: url } });
    expect([status, err]).to.deep.equal([0, '']);
  };

  before(async function () {
    if (binaries === undefined) skip(this, "PostgreSQL's server is not installed in /usr/lib/postgresql");
    chmodSync(folder, 0o755);
    if (user) execFileSync('chown', [`${user.uid}:${user.gid}`, folder]);
    port = await freePort();
    url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    run(`initdb --pgdata=${data} --username=postgres --auth=trust --encoding=UTF8 --locale=C > /dev/null`);
    control('start');
  });
  after(() => {
    if (existsSync(join(data, 'postmaster.pid'))) control('--mode=immediate stop');
    rmSync(folder, { recursive: true });
  });

  it('returns to the moment before a mistake, also of log that was not yet archived, and serves', async () => {
    run(commandsWith('archive_mode'));
    control('restart');
    expect(await call(['migrate'], { variables: { DATABASE_URL: url } })).to.include({ status: 0 });
    await create('before the backup');
    run(commandsWith('pg_basebackup'));
    await create('after the backup');
    const [{ now } = {}] = await query(url, 'select clock_timestamp()::text as now');
    await create('a mistake');
    control('--mode=immediate stop');

    const [base = 'none'] = readdirSync(join(archive, 'base'));
    run(commandsWith('recovery.signal').replace('DATE', base).replace('TIME', String(now)));
    control('start');
    while ((await query(url, 'select pg_is_in_recovery() as "recovers"'))[0]?.['recovers'] !== false) await sleep(50);
    expect(await names()).to.deep.equal(['after the backup', 'before the backup']);
    await create('after the recovery');
    expect(await call(['migrate'], { variables: { DATABASE_URL: url } })).to.include({
      status: 0,
      out: 'Nothing to do.\n',
    });
  });
});
