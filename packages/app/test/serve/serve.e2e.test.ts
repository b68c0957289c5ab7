import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { clientOf, logIn } from '../../../../test-support/client.ts';
import { packedPackages } from '../../../../test-support/packed.ts';
import { type FailedStart, makeDataDir, serve, startService } from '../../../../test-support/service-process.ts';
import { call } from '../cli/call.ts';

const PASSWORD = 'chapter-demo';

/** Sends a login and disconnects once the request is written. */
const leaveLogin = async (url: string, username: string): Promise<void> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const body = JSON.stringify({ username, password: 'nothing' });
  const head = ['POST /api/auth/login/ HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
  head.push(`Content-Length: ${body.length}`, '', body);
  await new Promise((written) => socket.write(head.join('\r\n'), written));
  socket.destroy();
  await once(socket, 'close');
};

describe('The service in DEV', () => {
  const dataDir = makeDataDir();
  after(() => dataDir.remove());

  it('says at each start where it is and who can log in, and ends at SIGTERM with status 0', async () => {
    const service = await serve({ DATA_DIR: dataDir.path });
    expect(service.output()).to.match(/Documentation: http:\/\/localhost:\d+\/api\/docs\//);
    const { body: document } = await clientOf(service.url)('GET', '/api/openapi/');
    expect(document.servers).to.deep.equal([{ url: service.url }]);
    const { example } = document.paths['/api/auth/login/'].post.requestBody.content['application/json'];
    expect(await clientOf(service.url)('POST', '/api/auth/login/', example)).to.include({ status: 200 });
    for (const name of ['leader', 'guest', 'user', 'admin', 'leader.south']) {
      expect(service.output()).to.match(new RegExp(`^ {2}${name} `, 'm'));
      expect((await (await logIn(service.url, name, PASSWORD))('GET', '/api/info/')).body.username).to.equal(name);
    }
    expect(await service.end()).to.deep.equal({ status: 0, signal: null });
  });

  it('keeps its data and its keys from one start to the next, puts nothing in again, and can be seeded', async () => {
    const first = await serve({ DATA_DIR: dataDir.path });
    expect(first.output()).to.match(/^Demo accounts \(password "chapter-demo"\):\n {2}leader +Leader of North$/m);
    const leader = await clientOf(first.url)('POST', '/api/auth/login/', { username: 'leader', password: PASSWORD });
    await first.end();
    const second = await serve({ DATA_DIR: dataDir.path });
    const client = clientOf(second.url, leader.body.access_token);
    expect((await client('GET', '/api/users/?count=true')).body.count).to.equal(4);
    const variables = { DATA_DIR: dataDir.path, CHAPTER_ENV: 'DEV' };
    const seeded = await call(['seed', '--members', '120', '--json'], { variables });
    expect(JSON.parse(seeded.out)).to.deep.equal({ members: 120, divisions: { North: 60, South: 60 } });
    const page = (await client('GET', '/api/users/?count=true')).body;
    expect([page.count, page.next]).to.deep.equal([64, page.next]);
    expect((await client('GET', page.next)).body.results).to.have.length(14);
    await second.end('SIGINT');
  });

  it('serves from what is built of it as well, by one process or two', async () => {
    packedPackages();
    for (const WORKERS of ['1', '2']) {
      const service = await serve({ DATA_DIR: dataDir.path, WORKERS }, 'packages/app/dist/main.js');
      await logIn(service.url, 'leader', PASSWORD);
      expect(await service.end()).to.deep.equal({ status: 0, signal: null });
    }
  });

  it('ends in the same way when its terminal is closed', async () => {
    for (const WORKERS of ['1', '2']) {
      const service = await serve({ DATA_DIR: dataDir.path, WORKERS, LOG_LEVEL: 'info' });
      expect(await service.end('SIGHUP')).to.deep.equal({ status: 0, signal: null });
      expect(service.output()).to.include('stopping');
    }
  });

  it('finishes the requests that run when it is told to stop, and hashes nothing for clients that are gone', async () => {
    const settings = { SCRYPT_LOG_N: '14', SCRYPT_P: '5', LOG_LEVEL: 'info' };
    const service = await serve({ DATA_DIR: dataDir.path, ...settings });
    const logIn = (at: number) =>
      clientOf(service.url)('POST', '/api/auth/login/', { username: `absent-${at}`, password: 'nothing' });
    const running = [0, 1].map(logIn);
    // Enough to keep the hasher busy for seconds.
    const leaving = Array.from({ length: 40 }, (_, at) => leaveLogin(service.url, `gone-${at}`));
    await Promise.all(leaving);
    running.push(...[2, 3, 4, 5].map(logIn));
    // When the first response is there, the others wait or run.
    await Promise.race(running);
    const ended = service.end();
    // On a slow machine, one that waits is refused after three seconds.
    const statuses = (await Promise.all(running)).map(({ status }) => status);
    expect(statuses).to.include(401);
    for (const status of statuses) expect(status).to.be.oneOf([401, 503]);
    expect(await ended).to.deep.equal({ status: 0, signal: null });
    const hashed = service.output().match(/POST \/api\/auth\/login\/ 401 /g) ?? [];
    expect(hashed.length).to.be.within(1, running.length + 10);
  });

  it('ends at once at a second signal, whatever still runs', async () => {
    const service = await serve({ DATA_DIR: dataDir.path, LOG_LEVEL: 'info' });
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => {}); // it is cut off
    socket.write('POST /api/auth/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n');
    const first = service.end();
    await service.printed('stopping');
    void service.end('SIGINT');
    expect(await first).to.deep.equal({ status: 1, signal: null });
  });

  it('ends although something is still under way that nobody waits for, such as looking up its address', async () => {
    const forever = '--import=data:text/javascript,setInterval(()=>{},1000)';
    const service = await serve({ DATA_DIR: dataDir.path, NODE_OPTIONS: forever });
    expect(await service.end()).to.deep.equal({ status: 0, signal: null });
  });

  it('loses nothing that it acknowledged when it is killed, and starts again by itself', async () => {
    const service = await serve({ DATA_DIR: dataDir.path });
    const leader = await logIn(service.url, 'leader', PASSWORD);
    const kept = new Map<string, string>();
    const changed = new Map<string, string>();
    const deleted = new Set<string>();
    // Asked for, and perhaps done, though the answer never came.
    const doomed = new Set<string>();
    // Four members at a time are created, some changed, some deleted, until the server is gone in the middle of it.
    const work = async (worker: number) => {
      for (let n = 0; n < 250; n++) {
        const username = `m-${worker}-${n}`;
        const created = await leader('POST', '/api/users/', { username, password: 'a long enough secret' });
        if (created.status === 201) kept.set(created.body.id, username);
        const { id } = created.body;
        if (n % 3 === 0 && (await leader('PATCH', `/api/users/${id}`, { last_name: username })).status === 200)
          changed.set(id, username);
        if (n % 5 === 0) doomed.add(id);
        if (n % 5 === 0 && (await leader('DELETE', `/api/users/${id}`)).status === 204) deleted.add(id);
      }
    };
    const working = Promise.allSettled([0, 1, 2, 3].map(work));
    while (kept.size < 600) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await service.end('SIGKILL')).to.deep.equal({ status: null, signal: 'SIGKILL' });
    const outcomes = await working;
    expect(outcomes.map(({ status }) => status)).to.include('rejected');

    const again = await serve({ DATA_DIR: dataDir.path });
    const guest = await logIn(again.url, 'guest', PASSWORD);
    const found = new Map<string, string>();
    for (let next: string | null = '/api/users/?page_size=100'; next; ) {
      const { body } = await guest('GET', next);
      for (const user of body.results) found.set(user.id, user.last_name);
      next = body.next;
    }
    for (const id of kept.keys()) if (!doomed.has(id)) expect(found.has(id), id).to.equal(true);
    for (const [id, name] of changed) if (!doomed.has(id)) expect(found.get(id)).to.equal(name);
    for (const id of deleted) expect(found.has(id), id).to.equal(false);
    await again.end();
  });
});

describe('A start that cannot be', () => {
  const oneSentence = (failed: object): string => {
    const { status, stderr } = failed as FailedStart;
    expect(status).to.equal(1);
    expect(stderr).to.match(/^[^\n]+\n$/);
    expect(stderr).not.to.match(/^\s+at |Error:/m);
    return stderr;
  };

  it('ends with one sentence where the port is in use, has stored the demo data before, and the next start says who can log in', async () => {
    const dataDir = makeDataDir();
    const busy = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => busy.once('listening', resolve));
    const { port } = busy.address() as AddressInfo;
    // Such as looking up the public address, which nobody waits for.
    const NODE_OPTIONS = '--import=data:text/javascript,setInterval(()=>{},1000)';
    const failed = await startService({ DATA_DIR: dataDir.path, PORT: String(port), NODE_OPTIONS });
    expect(oneSentence(failed)).to.contain(`127.0.0.1:${port}`).and.to.contain('PORT');
    // Demo data is stored before the service listens.
    const { out } = await call(['divisions', 'list', '--json'], { variables: { DATA_DIR: dataDir.path } });
    expect(JSON.parse(out).map(({ name }: { name: string }) => name)).to.deep.equal(['North', 'South']);
    const elsewhere = { DATA_DIR: dataDir.path, OPS_PORT: String(port) };
    expect(oneSentence(await startService(elsewhere))).to.contain('OPS_PORT');
    busy.close();
    const service = await serve({ DATA_DIR: dataDir.path });
    expect(service.output()).to.contain('Demo accounts');
    await service.end();
    dataDir.remove();
  });

  it('ends with one sentence where the database is not there', async () => {
    const failed = await startService({ DATABASE_URL: 'postgresql://nobody:secret@127.0.0.1:9/none' });
    expect(oneSentence(failed)).to.contain('127.0.0.1:9/none').and.not.to.contain('secret');
  });

  it('names every wrong setting in one message', async () => {
    const failed = (await startService({ CHAPTER_ENV: 'PROD', PORT: 'x', CORS_ORIGINS: '*' })) as FailedStart;
    expect(failed.status).to.equal(1);
    for (const setting of ['PORT', 'CORS_ORIGINS', 'DATABASE_URL', 'JWT_KEYS_FILE'])
      expect(failed.stderr).to.contain(setting);
  });
});
