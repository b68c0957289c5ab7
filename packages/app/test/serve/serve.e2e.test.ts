import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { clientOf, logIn } from '../../../../test-support/client.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { serveInProcess } from '../../../../test-support/service-process.ts';
import { DEMO_IDS } from '../../src/database/demo-data.ts';
import { call } from '../cli/call.ts';

const PASSWORD = 'chapter-demo';

/** A Node option that simulates background work, such as looking up the public address. */
const BACKGROUND_WORK = '--import=data:text/javascript,setInterval(()=>{},1000)';

/** Sends a login and disconnects once the request is written. */
const leaveLogin = async (url: string, username: string): Promise<void> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const body = JSON.stringify({ username, password: 'wrong' });
  const head = ['POST /api/auth/login/ HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
  head.push(`Content-Length: ${body.length}`, '', body);
  await new Promise((written) => socket.write(head.join('\r\n'), written));
  socket.destroy();
  await once(socket, 'close');
};

describe('The service in DEV', () => {
  const dataDir = makeFolder();
  /** An access token of the first start. */
  let firstToken: string;

  it('prints its URL and the demo accounts at each start, and ends with status 0 at SIGTERM', async () => {
    const service = await serveInProcess({ DATA_DIR: dataDir });
    expect(service.output()).to.match(/Documentation: http:\/\/localhost:\d+\/api\/docs\//);
    const { body: document } = await clientOf(service.url)('GET', '/api/openapi/');
    expect(document.servers).to.deep.equal([{ url: service.url }]);
    const { example } = document.paths['/api/auth/login/'].post.requestBody.content['application/json'];
    const login = await clientOf(service.url)('POST', '/api/auth/login/', example);
    expect(login.status).to.equal(200);
    firstToken = login.body.access_token;
    const client = clientOf(service.url, firstToken);
    const { UserId, DivisionId } = document.components.parameters;
    expect(UserId.example).to.equal(DEMO_IDS.users.user);
    expect(DivisionId.example).to.equal(DEMO_IDS.divisions.North);
    for (const path of [`/api/users/${UserId.example}/`, `/api/divisions/${DivisionId.example}/`])
      expect((await client('GET', path)).status, path).to.equal(200);
    expect(service.output()).to.match(/^Demo accounts \(password "chapter-demo"\):\n {2}leader +Leader of North$/m);
    for (const name of ['leader', 'guest', 'user', 'admin', 'leader.south']) {
      expect(service.output()).to.match(new RegExp(`^ {2}${name} `, 'm'));
      expect((await (await logIn(service.url, name, PASSWORD))('GET', '/api/info/')).body.username).to.equal(name);
    }
    expect(await service.end()).to.deep.equal({ status: 0, signal: null });
  });

  it('keeps its data and keys, stores demo data only once, can be seeded, and ends although background work runs', async () => {
    const service = await serveInProcess({ DATA_DIR: dataDir, NODE_OPTIONS: BACKGROUND_WORK });
    expect(service.output()).to.match(/^Demo accounts .*\n {2}leader /m);
    const client = clientOf(service.url, firstToken);
    expect((await client('GET', '/api/users/?count=true')).body.count).to.equal(4);
    const variables = { DATA_DIR: dataDir, CHAPTER_ENV: 'DEV' };
    const seeded = await call(['seed', '--members', '120', '--json'], { variables });
    expect(JSON.parse(seeded.out)).to.deep.equal({ members: 120, divisions: { North: 60, South: 60 } });
    const page = (await client('GET', '/api/users/?count=true')).body;
    expect(page.count).to.equal(64);
    expect((await client('GET', page.next)).body.results).to.have.length(14);
    expect(await service.end('SIGINT')).to.deep.equal({ status: 0, signal: null });
  });

  it('finishes running requests when it stops, and computes no hashes for disconnected clients', async () => {
    const settings = { SCRYPT_LOG_N: '14', SCRYPT_P: '5', LOG_LEVEL: 'info' };
    const service = await serveInProcess({ DATA_DIR: dataDir, ...settings });
    const logIn = (at: number) =>
      clientOf(service.url)('POST', '/api/auth/login/', { username: `absent-${at}`, password: 'wrong' });
    const running = [0, 1].map(logIn);
    // Enough to keep the hasher busy for seconds.
    const leaving = Array.from({ length: 40 }, (_, at) => leaveLogin(service.url, `gone-${at}`));
    await Promise.all(leaving);
    running.push(...[2, 3, 4, 5].map(logIn));
    // After the first response, the others wait or run.
    await Promise.race(running);
    const ended = service.end();
    // On a slow machine, waiting requests are refused after three seconds.
    const statuses = (await Promise.all(running)).map(({ status }) => status);
    expect(statuses).to.include(401);
    for (const status of statuses) expect(status).to.be.oneOf([401, 503]);
    expect(await ended).to.deep.equal({ status: 0, signal: null });
    const hashed = service.output().match(/POST \/api\/auth\/login\/ 401 /g) ?? [];
    expect(hashed.length).to.be.within(1, running.length + 10);
  });

  it('loses no acknowledged change when it is killed, and can start again', async () => {
    const service = await serveInProcess({ DATA_DIR: dataDir });
    const leader = await logIn(service.url, 'leader', PASSWORD);
    const kept = new Map<string, string>();
    const changed = new Map<string, string>();
    const deleted = new Set<string>();
    // Deletions that were sent. They may have happened even if no response came.
    const doomed = new Set<string>();
    // Creates, changes and deletes members four at a time until the server is killed.
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
    while (kept.size < 150) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await service.end('SIGKILL')).to.deep.equal({ status: null, signal: 'SIGKILL' });
    const outcomes = await working;
    expect(outcomes.map(({ status }) => status)).to.include('rejected');

    const again = await serveInProcess({ DATA_DIR: dataDir });
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
