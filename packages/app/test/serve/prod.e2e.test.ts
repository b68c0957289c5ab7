import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { clientOf, logIn } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { type FailedStart, serve, startService } from '../../../../test-support/service-process.ts';
import { call } from '../cli/call.ts';

describe('The service in PROD', () => {
  const database = useTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'chapter-prod-'));
  const keysFile = join(folder, 'keys.json');
  const settings = (more: Record<string, string> = {}) => ({
    CHAPTER_ENV: 'PROD',
    DATABASE_URL: database.url,
    JWT_KEYS_FILE: keysFile,
    CORS_ORIGINS: 'https://members.example.org',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    ...more,
  });
  before(async () => writeFileSync(keysFile, (await call(['keys', 'generate'])).out, { mode: 0o600 }));
  after(() => rmSync(folder, { recursive: true }));

  it('does not serve on a schema that is older than itself, and says what to do', async () => {
    const { status, stderr } = (await startService(settings())) as FailedStart;
    expect(status).to.equal(1);
    expect(stderr).to.match(/^[^\n]*older[^\n]*chapter migrate[^\n]*\n$/);
  });

  it('migrates once when three instances start at once, and puts in no demo data', async () => {
    const services = await Promise.all([1, 2, 3].map(() => serve(settings({ MIGRATE_ON_START: 'true' }))));
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const names = (await client.query<{ name: string }>('select name from schema_migration order by name')).rows;
    expect(new Set(names.map(({ name }) => name)).size)
      .to.equal(names.length)
      .and.to.be.greaterThan(0);
    expect((await client.query('select from division')).rowCount).to.equal(0);
    await client.end();
    for (const service of services) expect(await service.end()).to.deep.equal({ status: 0, signal: null });
  });

  it('warns of password hashes that are weaker than the usual ones, once and only then', async () => {
    const weak = await serve(settings({ WORKERS: '2' }));
    const usual = await serve(settings({ SCRYPT_LOG_N: '14', SCRYPT_P: '5' }));
    for (const service of [weak, usual]) await service.end();
    expect(weak.output().split('SCRYPT_LOG_N')).to.have.length(2);
    expect(usual.output()).not.to.include('SCRYPT');
  });

  it('tells browsers to use HTTPS only, lets exact origins in, and logs a line of JSON for each request', async () => {
    const service = await serve(settings({ PUBLIC_URL: 'https://members.example.org/' }));
    const ask = (origin: string, id: string) =>
      fetch(`${service.url}/api/auth/groups/`, { headers: { Origin: origin, 'X-Request-Id': id } });
    const known = await ask('https://members.example.org', 'from-members');
    expect(known.headers.get('strict-transport-security')).to.match(/^max-age=\d{8,}/);
    expect(known.headers.get('access-control-allow-origin')).to.equal('https://members.example.org');
    for (const foreign of ['https://members.example.org.evil.example', 'http://members.example.org', 'null']) {
      expect((await ask(foreign, 'foreign')).headers.get('access-control-allow-origin')).to.equal(null);
    }
    expect((await fetch(`${service.url}/api/docs/`)).status).to.equal(200);
    const { body } = await clientOf(service.url)('GET', '/api/openapi/');
    expect(body.servers).to.deep.equal([{ url: 'https://members.example.org' }]);
    expect(body.info.description).not.to.include('Demo accounts');
    await service.end();
    const lines = service
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const logged = lines.filter(({ requestId }) => requestId === 'from-members');
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ method: 'GET', route: '/api/auth/groups/', status: 401, callerId: null });
    expect(logged[0].milliseconds).to.be.a('number');
  });

  it('has neither documentation nor OpenAPI with DOCS=off', async () => {
    const service = await serve(settings({ DOCS: 'off' }));
    for (const path of ['/api/docs/', '/api/openapi/']) {
      expect((await clientOf(service.url)('GET', path)).status).to.equal(404);
    }
    await service.end();
  });

  it('replaces a worker that dies, and is not ready until it has', async () => {
    const division = await call(['divisions', 'create', '--name', 'North', '--json'], { variables: settings() });
    const { id } = JSON.parse(division.out) as { id: string };
    const admit = ['users', 'create', '--division', id, '--username', 'ada', '--group', 'Leader', '--password-stdin'];
    expect(await call(admit, { variables: settings(), input: 'a long enough secret' })).to.include({ status: 0 });
    const port = String(await freePort());
    const service = await serve(settings({ WORKERS: '2', OPS_PORT: port }));
    const readiness = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    expect(await readiness()).to.equal(200);

    // A worker needs the keys to start: none takes the place of the one that dies before they are back.
    renameSync(keysFile, `${keysFile}.away`);
    process.kill(service.children()[0] ?? 0, 'SIGKILL');
    await service.printed('a worker has died');
    expect(await readiness()).to.equal(503);
    renameSync(`${keysFile}.away`, keysFile);
    while ((await readiness()) !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    const ada = await logIn(service.url, 'ada', 'a long enough secret');
    expect((await ada('GET', '/api/users/')).status).to.equal(200);
    expect(await service.end()).to.deep.equal({ status: 0, signal: null });
  });

  it('serves all connections while a worker does not respond, and after it was killed', async () => {
    const service = await serve(settings({ WORKERS: '2' }));
    const [stopped = 0] = service.children();
    process.kill(stopped, 'SIGSTOP');
    const answers: string[] = [];
    const connections = Array.from({ length: 4 }, async () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.setEncoding('utf8').on('data', (text: string) => answers.push(text));
      socket.on('error', () => {}); // a reset is an end as well
      socket.write('GET /api/auth/keys/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      await new Promise((resolve) => socket.once('close', resolve));
    });
    await Promise.all(connections);
    process.kill(stopped, 'SIGKILL');
    expect(answers.map((answer) => answer.split('\r\n', 1)[0])).to.deep.equal(Array(4).fill('HTTP/1.1 200 OK'));
    expect(await service.end()).to.deep.equal({ status: 0, signal: null });
  });
});
