import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { spawn } from '../../../../test-support/processes.ts';
import { query } from '../../../../test-support/query.ts';
import { skip } from '../../../../test-support/skip.ts';
import { openEmbeddedDatabase } from '../../src/embedded/embedded-database.ts';
import { postmasterOf, serverUser } from '../../src/embedded/postmaster.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { startEmbeddedProcess } from './embedded-process.ts';

const refusal = async (dataDir: string): Promise<string> => {
  try {
    const { close } = await openEmbeddedDatabase(dataDir);
    await close();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return error.message;
  }
  return 'none';
};

describe('DATA_DIR', () => {
  // Only its owner has access, so that the user that PostgreSQL runs as cannot enter root's folder.
  const root = makeFolder();
  const root0 = process.getuid?.() === 0;

  it('works below a directory without access for others, with a path too long for a socket, and with a stale PID file', async () => {
    const dataDir = join(root, 'closed', 'x'.repeat(100));
    const first = await openEmbeddedDatabase(dataDir);
    chmodSync(join(root, 'closed'), 0o700);
    expect(new URL(first.url).hostname).to.equal('127.0.0.1');
    await first.close();

    // Simulates a process of the same user that has reused the ID of a killed server.
    const other = spawn('sleep', ['3600'], { ...serverUser(join(dataDir, 'postgres')), cwd: '/' });
    writeFileSync(join(dataDir, 'postgres/postmaster.pid'), `${other.pid}\n${dataDir}\n1\n5432\n\n\n  1 1\nready\n`);
    const second = await openEmbeddedDatabase(dataDir);
    expect(second.url).to.equal(first.url);
    expect(await query(second.url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    await second.close();
    expect(other.exitCode ?? other.signalCode).to.equal(null);
    other.kill();

    const version = join(dataDir, 'postgres/PG_VERSION');
    copyFileSync(version, `${version}.kept`);
    writeFileSync(version, '15\n');
    expect(await refusal(dataDir)).to.match(
      / has files of PostgreSQL 15, but the embedded PostgreSQL has version \d+; /,
    );
    copyFileSync(`${version}.kept`, version);

    writeFileSync(join(dataDir, 'postgres-password'), 'another');
    expect(await refusal(dataDir)).to.match(
      / rejects the login; check whether its file postgres-password was changed\.$/,
    );
    expect(postmasterOf(join(dataDir, 'postgres'))).to.equal(undefined);
  });

  it('can belong to an ordinary user', async function () {
    if (!root0) skip(this, 'only root can become another user');
    const { gid, uid } = serverUser('/nowhere') ?? { uid: 0, gid: 0 };
    const dataDir = mkdtempSync('/tmp/chapter-data-dir-');
    chownSync(dataDir, uid, gid);
    const user = startEmbeddedProcess(dataDir, { uid, gid, cwd: dataDir, env: { PATH: process.env['PATH'] } });
    expect(await query(await user.url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    await user.leave();

    // Root can use the files of an ordinary user.
    const { close } = await openEmbeddedDatabase(dataDir);
    await close();
    const again = startEmbeddedProcess(dataDir, { uid, gid, cwd: dataDir, env: { PATH: process.env['PATH'] } });
    await again.url;
    await again.leave();
    rmSync(dataDir, { recursive: true });
  });

  it('is rejected if it is not a usable directory', async () => {
    writeFileSync(join(root, 'file'), '');
    mkdirSync(join(root, 'strange', 'postgres', 'things'), { recursive: true });
    mkdirSync(join(root, 'taken', 'postgres-password'), { recursive: true });
    for (const [name, reason] of [
      ['file/data', 'a part of the path is not a directory'],
      ['file', 'a file with that name exists'],
      ['strange', 'it contains other files'],
      ['taken', 'it is a directory'],
    ] as const) {
      const sentence = `DATA_DIR (${join(root, name)}) cannot be used: ${reason}; use another directory.`;
      expect(await refusal(join(root, name))).to.equal(sentence);
    }
  });

  it('is rejected where no directory can be created', async function () {
    if (!existsSync('/proc/self')) skip(this, 'only /proc is a directory in which root cannot create directories');
    expect(await refusal('/proc/chapter/data')).to.equal(
      'DATA_DIR (/proc/chapter/data) cannot be used: no such file or directory; use another directory.',
    );
  });

  it('is rejected if this user may not write to it', async function () {
    if (!root0) skip(this, 'only root can become another user');
    const { uid, gid } = serverUser('/nowhere') ?? { uid: 0, gid: 0 };
    const user = startEmbeddedProcess('/root/chapter-data', { uid, gid, cwd: '/', env: { PATH: process.env['PATH'] } });
    expect(await user.url.catch(String)).to.include('DATA_DIR (/root/chapter-data) cannot be used: permission denied;');
    await user.leave();
  });

  it('with damaged files is reported with the last line of PostgreSQL, its log and what to do', async () => {
    const dataDir = join(root, 'damaged');
    const { close } = await openEmbeddedDatabase(dataDir);
    await close();
    // Lines from before the start must not be reported.
    appendFileSync(join(dataDir, 'postgres.log'), 'FATAL:  an old reason\n');
    rmSync(join(dataDir, 'postgres/global/pg_control'));
    const sentence = await refusal(dataDir);
    expect(sentence).to.match(
      /does not start; the last line of its log is ".*could not open file ".*\/global\/pg_control".*" \(/,
    );
    expect(sentence).to.include(
      `(${dataDir}/postgres.log); free some space if the disk is full; if its files are damaged,`,
    );
    expect(sentence).to.match(/ restore a backup of DATA_DIR, or delete DATA_DIR to start again without its data\.$/);
    expect(sentence).not.to.include('old reason');
  });
});
