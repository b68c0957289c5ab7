import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { call } from '../packages/app/test/cli/call.ts';
import { useTestDatabase } from '../test-support/database.ts';
import { blocks } from '../test-support/documented-proxies.ts';
import { makeFolder } from '../test-support/folders.ts';
import { manifestFaults, parseManifests, readManifests } from '../test-support/kubernetes.ts';
import { serveInProcess } from '../test-support/service-process.ts';
import { skip } from '../test-support/skip.ts';

const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
const run = (command: string, ...args: readonly string[]) => spawnSync(command, args, { env, encoding: 'utf8' });
const isInstalled = (...command: readonly [string, ...string[]]): boolean => run(...command).status === 0;

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment?: object; readonly stop_grace_period?: string }>>;
}

describe('The installation of docs/production.md for production', () => {
  const database = useTestDatabase();
  const folder = makeFolder();

  before('install it from the committed files', function () {
    const [code = ''] = blocks('sh');
    const command = /^npx [^]*/m.exec(code)?.[0] ?? expect.fail('no command installs');
    const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
    for (const file of files) cpSync(file, join(folder, file));
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', command], { cwd: folder, env, encoding: 'utf8' });
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

describe('deploy/', () => {
  const compose = parse(readFileSync('deploy/compose.ha.yaml', 'utf8'), { merge: true }) as Compose;

  it('has manifests that kustomize builds, with the image and the namespace of the kustomization', function () {
    if (!isInstalled('kubectl', 'version', '--client')) skip(this, 'kubectl is not installed');
    const { stdout, stderr } = run('kubectl', 'kustomize', 'deploy/kubernetes');
    const built = parseManifests(stdout);
    expect(
      built.map(({ kind }) => kind),
      stderr,
    ).to.have.members([...readManifests('deploy/kubernetes').values()].map(({ kind }) => kind));
    expect(manifestFaults(built)).to.deep.equal([]);
    for (const { kind, metadata } of built)
      if (kind !== 'Namespace') expect(metadata.namespace, kind).to.equal('chapter');
  });

  it('has a compose.ha.yaml that Docker Compose accepts', function () {
    const [program = '', ...args] =
      [['docker', 'compose'], ['docker-compose']].find(([name = '', ...more]) =>
        isInstalled(name, ...more, 'version'),
      ) ?? skip(this, 'neither the plugin docker compose nor docker-compose is installed');
    const { status, stderr } = run(program, ...args, '--file', 'deploy/compose.ha.yaml', 'config', '--quiet');
    expect([status, stderr]).to.deep.equal([0, '']);
  });

  it('has a compose.ha.yaml that sets only existing settings, and lets instances finish their requests', () => {
    const documented = readFileSync('docs/settings.md', 'utf8');
    for (const name of ['api1', 'api2', 'migrate']) {
      for (const setting of Object.keys(compose.services[name]?.environment ?? {})) {
        expect(documented, name).to.contain(`\`${setting.replace(/_FILE$/, '')}`);
      }
    }
    expect(compose.services['api1']?.stop_grace_period).to.equal('20s');
    expect(compose.services['api2']).to.deep.equal(compose.services['api1']);
  });

  it('has a haproxy.cfg that haproxy accepts', function () {
    if (!isInstalled('haproxy', '-v')) skip(this, 'haproxy is not installed');
    const { status, stdout, stderr } = run('haproxy', '-c', '-f', 'deploy/ha/haproxy.cfg');
    expect(status, stdout + stderr).to.equal(0);
  });

  it('has a patroni.yaml whose lease is long enough, and that never promotes a server without the acknowledged writes', () => {
    const { dcs } = parse(readFileSync('deploy/ha/patroni.yaml', 'utf8')).bootstrap;
    expect(dcs).to.include({ failsafe_mode: true, synchronous_mode: true });
    expect(dcs.loop_wait + 2 * dcs.retry_timeout).to.be.at.most(dcs.ttl);
  });
});
