import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { call } from '../packages/app/test/cli/call.ts';
import { clientOf, logIn } from '../test-support/client.ts';
import { useTestDatabase } from '../test-support/database.ts';
import { blocks } from '../test-support/documented-proxies.ts';
import { makeFolder } from '../test-support/folders.ts';
import { packedPackages } from '../test-support/packed.ts';
import { serveInProcess } from '../test-support/service-process.ts';
import { skip } from '../test-support/skip.ts';

describe('The installation of docs/production.md for production', () => {
  const database = useTestDatabase();
  const folder = makeFolder();

  before('install it from the committed files', function () {
    const [code = ''] = blocks('sh');
    const command = /^npx [^]*/m.exec(code)?.[0] ?? expect.fail('no command installs');
    const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
    for (const file of files) cpSync(file, join(folder, file));
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', command], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) skip(this, `its packages cannot be installed here: ${stdout}${stderr}`);
  });

  it('has no tools of developers, and takes less than half the space', () => {
    const size = (of: string): number =>
      Number(/^\d+/.exec(execFileSync('du', ['-sm', of], { encoding: 'utf8' }))?.[0]);
    const [production, development] = [size(join(folder, 'node_modules')), size('node_modules')];
    console.log(`      ${production} MiB for production, ${development} MiB for developers`);
    expect(production).to.be.below(development / 2);
  });

  it('serves in PROD', async () => {
    const keys = join(folder, 'keys.json');
    const { out } = await call(['keys', 'generate'], { variables: {} });
    writeFileSync(keys, out, { mode: 0o600 });
    const prod = { CHAPTER_ENV: 'PROD', JWT_KEYS_FILE: keys, CORS_ORIGINS: 'https://members.example.org' };
    const settings = { ...prod, DATABASE_URL: database.url, MIGRATE_ON_START: 'true', LOG_LEVEL: 'info' };
    const service = await serveInProcess(settings, relative(process.cwd(), join(folder, 'packages/app/src/main.ts')));
    expect((await fetch(`${service.url}/api/auth/keys/`)).status).to.equal(200);
    expect((await service.end()).status).to.equal(0);
  });
});

describe('The build output', () => {
  it('serves with one process or two, and ends with status 0 when its terminal is closed', async () => {
    const dataDir = makeFolder();
    packedPackages();
    for (const WORKERS of ['1', '2']) {
      const settings = { DATA_DIR: dataDir, WORKERS, LOG_LEVEL: 'info' };
      const service = await serveInProcess(settings, 'packages/app/dist/main.js');
      const { body: document } = await clientOf(service.url)('GET', '/api/openapi/');
      expect(document.info.description).to.contain('`leader`');
      await logIn(service.url, 'leader', 'chapter-demo');
      expect(await service.end('SIGHUP')).to.deep.equal({ status: 0, signal: null });
      // The lines for people name the address, so the log does not.
      expect(service.output()).to.include('stopping').and.not.include('INFO: listening');
    }
  });
});
