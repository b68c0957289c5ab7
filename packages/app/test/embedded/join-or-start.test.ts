import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type DataDirectory, openDataDirectory } from '../../src/embedded/data-directory.ts';
import { joinOrStart } from '../../src/embedded/join-or-start.ts';
import { chooseListen } from '../../src/embedded/listen.ts';
import { SOCKET_PORT } from '../../src/embedded/postmaster.ts';
import { isRunning } from '../../src/embedded/processes.ts';

/** Returns whether the process ends within a minute. */
const ends = async (pid: number): Promise<boolean> => {
  for (const until = Date.now() + 60_000; isRunning(pid); await sleep(10)) {
    if (Date.now() > until) return false;
  }
  return true;
};

/** Listens where PostgreSQL would, and rejects each connection with the next pair of SQLSTATE and message, then with the last. */
const rejectConnections = async (
  directory: DataDirectory,
  rejections: (readonly [code: string, message: string])[],
): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    const [code, message] = (rejections.length > 1 ? rejections.shift() : rejections[0]) ?? [];
    const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
    const head = Buffer.from('E\0\0\0\0');
    head.writeInt32BE(fields.length + 4, 1);
    socket.once('data', () => socket.end(Buffer.concat([head, fields])));
  });
  const listen = await chooseListen(directory);
  const where = listen.socket ? { path: join(directory.cluster, `.s.PGSQL.${SOCKET_PORT}`) } : { port: listen.port };
  await new Promise<void>((resolve) => server.listen(where, resolve));
  return server;
};

describe('An embedded PostgreSQL that accepts no connection', () => {
  let dir: string;
  let directory: DataDirectory;
  let server: Server | undefined;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'chapter-start-'));
    directory = await openDataDirectory(join(dir, 'data'));
    mkdirSync(directory.cluster);
  });
  afterEach(() => {
    server?.close();
    rmSync(dir, { recursive: true });
  });

  const failure = async (postgres: string, limitMs: number): Promise<string> =>
    joinOrStart(directory, postgres, undefined, limitMs).then(
      () => 'none',
      ({ message }: Error) => message,
    );

  it('is stopped after the time limit, and reported without advice to delete its files', async () => {
    const [postgres, pidFile] = [join(dir, 'postgres'), join(dir, 'pid')];
    const script = `echo hanging\necho $$ > ${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nexec sleep 3600\n`;
    writeFileSync(postgres, `#!/bin/sh\n${script}`, { mode: 0o755 });
    const message = await failure(postgres, 2000);
    expect(existsSync(pidFile)).to.equal(true);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    try {
      expect(await ends(pid)).to.equal(true);
    } finally {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    }
    const { cluster, log } = directory;
    expect(message).to.equal(
      `The embedded PostgreSQL in ${cluster} accepted no connection within 2 s; the last line of its log is "hanging" (${log}); if the machine is busy, start the program again.`,
    );
  });

  // The limit has passed after the first rejection.
  it('is awaited without a limit while it reports its recovery from a crash', async () => {
    server = await rejectConnections(directory, [
      ['57P03', 'the database system is starting up'],
      ['57P03', 'the database system is not yet accepting connections'],
      ['57P03', 'the database system is in recovery mode'],
      ['28P01', 'password authentication failed'],
    ]);
    expect(await failure('/nowhere', 0)).to.include('rejects the login');
  });

  it('is not awaited without a limit while it shuts down, because other clients can delay the shutdown', async () => {
    writeFileSync(directory.log, 'stopping\n');
    server = await rejectConnections(directory, [['57P03', 'the database system is shutting down']]);
    expect(await failure('/nowhere', 0)).to.include('accepted no connection within 0 s');
  });
});
