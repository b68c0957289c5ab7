import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { query } from '../../../../test-support/query.ts';
import { openEmbeddedDatabase } from '../../src/embedded/embedded-database.ts';
import { postmasterOf, stopPostmaster } from '../../src/embedded/postmaster.ts';
import { type EmbeddedProcess, startEmbeddedProcess } from './embedded-process.ts';

describe('The embedded database', () => {
  const dataDir = makeFolder();
  let processes: EmbeddedProcess[] = [];
  const use = (): EmbeddedProcess => {
    const started = startEmbeddedProcess(dataDir);
    processes.push(started);
    return started;
  };
  const server = (): number | undefined => postmasterOf(join(dataDir, 'postgres'));

  afterEach(async () => {
    await Promise.all(processes.map(({ kill }) => kill()));
    processes = [];
  });
  after(() => stopPostmaster(join(dataDir, 'postgres')));

  it('is created once when several processes open it at the same time', async () => {
    const urls = await Promise.all([use(), use(), use()].map(({ url }) => url));
    expect(new Set(urls).size).to.equal(1);
    await Promise.all(processes.map(({ leave }) => leave()));
    expect(server()).to.equal(undefined);
    expect(readdirSync(dataDir)).to.have.members(['postgres', 'postgres-password', 'postgres.log']);
  });

  it('is durable, and folds and sorts text like any other database', async () => {
    const { close, url } = await openEmbeddedDatabase(dataDir);
    const settings = `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('server_encoding') as encoding, lower('ÄÖ') as lower, 'Z' < 'a' as by_code_point`;
    expect(await query(url, settings)).to.deep.equal([
      { fsync: 'on', commit: 'on', encoding: 'UTF8', lower: 'äö', by_code_point: true },
    ]);
    await query(url, 'create table kept (n int)');
    await close();
  });

  it('has files that only their owner can access', () => {
    const mode = (name: string): number => statSync(join(dataDir, name)).mode & 0o077;
    expect(['postgres', 'postgres-password', 'postgres.log'].map(mode)).to.deep.equal([0, 0, 0]);
  });

  it('serves until the last process leaves', async () => {
    const first = use();
    const url = await first.url;
    const { close } = await openEmbeddedDatabase(dataDir);
    await first.leave();
    await query(url, 'insert into kept values (1)');
    await close();
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).to.equal(false);
  });

  // The watchdog may or may not have stopped the server in the meantime.
  it('is taken over from a process that was killed', async () => {
    const killed = use();
    await killed.url;
    await killed.kill();
    const { close, url } = await openEmbeddedDatabase(dataDir);
    expect(await query(url, 'select n from kept')).to.deep.equal([{ n: 1 }]);
    await close();
    expect(server()).to.equal(undefined);
  });

  it('keeps all committed data after all processes were killed', async () => {
    const killed = use();
    const url = await killed.url;
    await query(url, 'insert into kept values (2)');
    await killed.kill();
    const left = server();
    if (left !== undefined) process.kill(left, 'SIGKILL');
    const again = await openEmbeddedDatabase(dataDir);
    expect(await query(again.url, 'select n from kept order by n')).to.deep.equal([{ n: 1 }, { n: 2 }]);
    await again.close();
  });

  it('restarts the server when it is killed while in use', async () => {
    const { close, url } = await openEmbeddedDatabase(dataDir);
    const killed = server();
    if (killed === undefined) throw new Error('no server is running');
    process.kill(killed, 'SIGKILL');
    let rows: readonly unknown[] = [];
    for (; rows.length === 0; await sleep(20)) rows = await query(url, 'select n from kept').catch(() => []);
    expect(server()).not.to.equal(killed);
    expect(rows).to.have.length(2);
    await close();
  });

  it('leaves no server that starts again while the database is closed', async () => {
    const { close } = await openEmbeddedDatabase(dataDir);
    const killed = server();
    process.kill(Number(killed), 'SIGKILL');
    while (server() === killed || server() === undefined) await sleep(5);
    await close();
    expect(server()).to.equal(undefined);
  });

  it('reports that its database cannot be created, and is left then', async () => {
    const folder = makeFolder();
    const { close, url } = await openEmbeddedDatabase(folder);
    const other = Object.assign(new URL(url), { pathname: '/postgres' }).href;
    await query(other, 'drop database chapter');
    await query(other, 'alter database template0 rename to other');
    await close();
    expect(await openEmbeddedDatabase(folder).catch(String)).to.match(
      /cannot create the database chapter; see .*postgres\.log\.$/,
    );
    while (postmasterOf(join(folder, 'postgres')) !== undefined) await sleep(20);
  });
});
