import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { chooseListen, type DataDirectory, openDataDirectory } from '../../src/embedded/data-directory.ts';
import { joinOrStart, joinStarting } from '../../src/embedded/join.ts';
import { isRunning, SOCKET_PORT } from '../../src/embedded/postmaster.ts';

/** The SQLSTATE and the message with which PostgreSQL rejects a connection. */
type Rejection = readonly [code: string, message: string];

/** The rejection during the start and the recovery. */
const STARTING: Rejection = ['57P03', 'the database system is starting up'];

/** A rejection that ends each attempt to start or join a server. */
const WRONG_LOGIN: Rejection = ['28P01', 'password authentication failed'];

const messageOf = ([code, message]: Rejection): Buffer => {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
};

const socketOf = ({ cluster }: DataDirectory): string => join(cluster, `.s.PGSQL.${SOCKET_PORT}`);

/** Returns the path of the file with the ID of the process that serves the directory. */
const pidFileOf = ({ cluster }: DataDirectory): string => join(cluster, 'postmaster.pid');

/** Listens where PostgreSQL would, and rejects each connection with the next rejection, then with the last. */
const rejectConnections = async (directory: DataDirectory, rejections: Rejection[]): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    const rejection = (rejections.length > 1 ? rejections.shift() : rejections[0]) ?? WRONG_LOGIN;
    socket.once('data', () => socket.end(messageOf(rejection)));
  });
  const listen = await chooseListen(directory);
  const where = listen.socket ? { path: socketOf(directory) } : { port: listen.port };
  await new Promise<void>((resolve) => server.listen(where, resolve));
  return server;
};

/** Where a fake program records each of its starts as one character. */
const startsFile = (program: string): string => `${program}-starts`;

/** Returns how often the program was started. */
const startsOf = (program: string): number => readFileSync(startsFile(program), 'utf8').length;

/**
 * Writes a program that rejects two connections as PostgreSQL does during its recovery, and then ends. If another one serves
 * the directory, it ends at once. From the start number `maxStarts`, it rejects each login instead. With `forks`, it ends at
 * once and leaves this work to another process.
 */
const writePostgres = (
  program: string,
  directory: DataDirectory,
  { maxStarts, forks }: { readonly maxStarts: number; readonly forks: boolean },
): void => {
  const literal = (value: Buffer | string): string => JSON.stringify(value.toString('latin1'));
  const script = `
    const { appendFileSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
    if (${forks} && !process.env.FORKED) {
      const options = { detached: true, env: { FORKED: '1' }, stdio: 'ignore' };
      require('node:child_process').spawn(process.execPath, process.argv.slice(1), options).unref();
      process.exit(1);
    }
    appendFileSync(${literal(startsFile(program))}, '.');
    const recovers = readFileSync(${literal(startsFile(program))}).length < ${maxStarts};
    const rejection = recovers ? ${literal(messageOf(STARTING))} : ${literal(messageOf(WRONG_LOGIN))};
    const pidFile = ${literal(pidFileOf(directory))};
    let left = recovers ? 2 : Infinity;
    const stop = () => {
      rmSync(pidFile, { force: true });
      server.close();
      process.exit(1);
    };
    const server = require('node:net').createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(rejection, 'latin1', () => --left > 0 || stop()));
    });
    process.on('SIGINT', stop);
    server.on('error', () => process.exit(1));
    server.listen(${literal(socketOf(directory))}, () => writeFileSync(pidFile, String(process.pid)));
  `;
  writeFileSync(`${program}.cjs`, script);
  // A `#!` line with the path of Node would end at the first space in the path.
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' "$0.cjs" "$@"\n`, { mode: 0o755 });
};

/** Returns whether the process ends within a minute. */
const ends = async (pid: number): Promise<boolean> => {
  for (const until = Date.now() + 60_000; isRunning(pid); await sleep(10)) {
    if (Date.now() > until) return false;
  }
  return true;
};

describe('An embedded PostgreSQL that accepts no connection', () => {
  let dir: string;
  let directory: DataDirectory;
  let server: Server | undefined;
  let written: string[];
  const writeError = (line: string): void => void written.push(line);
  beforeEach(async () => {
    dir = makeFolder();
    directory = await openDataDirectory(join(dir, 'data'));
    mkdirSync(directory.cluster);
    written = [];
  });
  afterEach(() => void server?.close());

  const failure = async (postgres: string, limitMs: number, noticeMs = 0): Promise<string> =>
    joinOrStart(directory, postgres, undefined, { limitMs, noticeMs, writeError }).then(
      () => 'none',
      ({ message }: Error) => message,
    );

  it('is stopped after the time limit, and reported without advice to delete its files', async () => {
    const [postgres, pidFile] = [join(dir, 'postgres'), join(dir, 'pid')];
    const script = `echo hanging\necho $$ > '${pidFile}.new'\nmv '${pidFile}.new' '${pidFile}'\nexec sleep 3600\n`;
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
  it('is awaited without a limit while it reports its recovery from a crash, and announced once', async () => {
    server = await rejectConnections(directory, [
      STARTING,
      ['57P03', 'the database system is not yet accepting connections'],
      ['57P03', 'the database system is in recovery mode'],
      WRONG_LOGIN,
    ]);
    expect(await failure('/nowhere', 0)).to.include('rejects the login');
    expect(written).to.deep.equal([
      `The embedded PostgreSQL in ${directory.cluster} is still starting or recovers from a crash; waiting for it.`,
    ]);
  });

  it('is not announced while it recovers if that takes only a few seconds', async () => {
    server = await rejectConnections(directory, [STARTING, STARTING, WRONG_LOGIN]);
    expect(await failure('/nowhere', 0, 3_600_000)).to.include('rejects the login');
    expect(written).to.deep.equal([]);
  });

  it('is not awaited without a limit while it shuts down, because other clients can delay the shutdown', async () => {
    writeFileSync(directory.log, 'stopping\n');
    server = await rejectConnections(directory, [['57P03', 'the database system is shutting down']]);
    expect(await failure('/nowhere', 0)).to.include('accepted no connection within 0 s');
    expect(written).to.deep.equal([]);
  });

  it('is reported if two processes start it in turn and it ends each time during its recovery', async () => {
    const postgres = join(dir, 'postgres');
    writePostgres(postgres, directory, { maxStarts: 100, forks: false });
    const messages = await Promise.all([failure(postgres, 60_000), failure(postgres, 60_000)]);
    for (const message of messages) expect(message).to.include('does not start');
    expect(startsOf(postgres)).to.be.below(100);
  });

  it('is left running if another process has started it', async () => {
    const postgres = join(dir, 'postgres');
    writePostgres(postgres, directory, { maxStarts: 0, forks: true });
    const message = await failure(postgres, 60_000);
    expect(existsSync(pidFileOf(directory))).to.equal(true);
    const pid = Number(readFileSync(pidFileOf(directory), 'utf8'));
    try {
      expect(message).to.include('rejects the login');
      expect(isRunning(pid)).to.equal(true);
    } finally {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    }
  });
});

describe('The end of a process that uses the embedded PostgreSQL', () => {
  let directory: DataDirectory;
  let server: Server | undefined;
  beforeEach(async () => {
    directory = await openDataDirectory(join(makeFolder(), 'data'));
    mkdirSync(directory.cluster);
  });
  afterEach(() => void server?.close());

  const outcome = (): Promise<unknown> =>
    joinStarting(directory, { pidFileMs: 0, transitionMs: 0 }).catch(({ message }: Error) => message);

  it('waits without a limit for a server that recovers', async () => {
    server = await rejectConnections(directory, [STARTING, STARTING, STARTING, WRONG_LOGIN]);
    expect(await outcome()).to.equal(WRONG_LOGIN[1]);
  });

  it('does not wait without a limit for a server that does not run, or that shuts down', async () => {
    expect(await outcome()).to.equal(undefined);
    server = await rejectConnections(directory, [['57P03', 'the database system is shutting down']]);
    expect(await outcome()).to.equal(undefined);
  });
});
