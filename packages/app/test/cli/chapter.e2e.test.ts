import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { logIn } from '../../../../test-support/client.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { spawn } from '../../../../test-support/processes.ts';
import { serveInProcess, testSettings } from '../../../../test-support/service-process.ts';
import { skip } from '../../../../test-support/skip.ts';
import { call } from './call.ts';

const environment = (settings: Record<string, string>) => ({
  PATH: process.env['PATH'] ?? '',
  ...testSettings,
  ...settings,
});

const chapter = async (args: string, settings: Record<string, string>, input = '') => {
  const child = spawn(process.execPath, ['packages/app/src/cli/main.ts', ...args.split(' ')], {
    env: environment(settings),
    stdio: 'pipe',
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  child.stdin.end(input);
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { out, err, status };
};

describe('chapter', () => {
  const dataDir = makeFolder();
  const settings = { DATA_DIR: dataDir };
  /** Calls the command line in this process. */
  const here = (...args: readonly string[]) => call(args, { variables: { ...testSettings, ...settings } });

  it('writes errors only to standard error', () => {
    const { status, stdout } = spawnSync('npm', ['run', '--silent', 'chapter', '--', 'no-such-command'], {
      encoding: 'utf8',
    });
    expect(status).to.equal(2);
    expect(stdout).to.equal('');
  });

  it('says why its output cannot be written', function () {
    if (!existsSync('/dev/full')) skip(this, '/dev/full is on Linux only');
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'exec "$0" packages/app/src/cli/main.ts policy > /dev/full', process.execPath],
      { encoding: 'utf8', env: environment({}) },
    );
    expect([status, stderr]).to.deep.equal([1, 'The output cannot be written: the disk is full.\n']);
  });

  it('runs on the embedded database without a server, and stops the database afterwards', async () => {
    const { err, out, status } = await chapter('divisions create --name East --json', settings);
    expect([status, err]).to.deep.equal([0, '']);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).to.equal(false);
    const listed = await here('divisions', 'list', '--json');
    expect(JSON.parse(listed.out)).to.deep.equal([JSON.parse(out)]);
  });

  it('runs beside the server, which sees the changes immediately', async () => {
    const service = await serveInProcess(settings);
    const [division] = JSON.parse((await here('divisions', 'list', '--json')).out) as { id: string }[];
    const created = await chapter(
      `users create --division ${division?.id} --username ada --group Leader --password-stdin`,
      settings,
      'a long enough secret\n',
    );
    expect([created.status, created.err]).to.deep.equal([0, '']);
    const ada = await logIn(service.url, 'ada', 'a long enough secret');
    expect((await ada('GET', '/api/users/')).status).to.equal(200);
    expect(await here('users', 'set', '--username', 'ada', '--group', 'User', '--force')).to.include({ status: 0 });
    expect((await ada('GET', '/api/users/')).status).to.equal(403);
    expect(await here('users', 'set', '--username', 'ada', '--active', 'false', '--force')).to.include({ status: 0 });
    expect((await ada('GET', '/api/info/')).status).to.equal(401);
    await service.end();
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).to.equal(false);
  });

  it('serves like npm start', async () => {
    const child = spawn(process.execPath, ['packages/app/src/cli/main.ts', 'serve'], {
      env: environment(settings),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    for await (const chunk of child.stdout) if (String(chunk).includes('listens on')) child.kill('SIGTERM');
    expect(await closed).to.deep.equal([0, null]);
  });
});
