import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { spawn } from '../../../../test-support/processes.ts';
import { skip } from '../../../../test-support/skip.ts';
import { openEmbeddedDatabase } from '../../src/embedded/embedded-database.ts';
import { postmasterOf } from '../../src/embedded/postmaster.ts';
import { serverUser } from '../../src/embedded/unix-user.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { query, startEmbeddedProcess } from './embedded-process.ts';

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
  let root: string;
  const root0 = process.getuid?.() === 0;

  before(() => {
    // Root's temporary directories are closed to the user that PostgreSQL has to run as, and so is everything in them.
    root = mkdtempSync(join(tmpdir(), 'chapter-data-dir-'));
  });
  after(() => rmSync(root, { recursive: true }));

  it('can be below a directory that nobody else may enter, deep enough for no socket, and beside a stale process id', async () => {
    const dataDir = join(root, 'closed', 'x'.repeat(100));
    const first = await openEmbeddedDatabase(dataDir);
    chmodSync(join(root, 'closed'), 0o700);
    expect(new URL(first.url).hostname).to.equal('127.0.0.1');
    await first.close();

    // A process of the same user has got the number of a server that was killed.
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
    expect(await refusal(dataDir)).to.match(/ has files of PostgreSQL 15, and the embedded one is PostgreSQL \d+; /);
    copyFileSync(`${version}.kept`, version);

    writeFileSync(join(dataDir, 'postgres-password'), 'another');
    expect(await refusal(dataDir)).to.match(/ refuses the login: was postgres-password changed\?$/);
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

    // Root goes on where an ordinary user began.
    const { close } = await openEmbeddedDatabase(dataDir);
    await close();
    const again = startEmbeddedProcess(dataDir, { uid, gid, cwd: dataDir, env: { PATH: process.env['PATH'] } });
    await again.url;
    await again.leave();
    rmSync(dataDir, { recursive: true });
  });

  it('must be a directory that can be written', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(await refusal(join(file, 'data'))).to.equal(
      `DATA_DIR (${file}/data) cannot be used: a part of the path is not a directory.`,
    );
    expect(await refusal(file)).to.equal(`DATA_DIR (${file}) cannot be used: there is a file of that name.`);
    mkdirSync(join(root, 'strange', 'postgres', 'things'), { recursive: true });
    expect(await refusal(join(root, 'strange'))).to.equal(
      `DATA_DIR (${root}/strange) cannot be used: there are other files in it.`,
    );
    mkdirSync(join(root, 'taken', 'postgres-password'), { recursive: true });
    expect(await refusal(join(root, 'taken'))).to.equal(`DATA_DIR (${root}/taken) cannot be used: it is a directory.`);
  });

  it('must be where directories can be made', async function () {
    if (!existsSync('/proc/self'))
      skip(this, 'only where there is a /proc can no directory be made in one that is there');
    expect(await refusal('/proc/chapter/data')).to.equal(
      'DATA_DIR (/proc/chapter/data) cannot be used: there is no such file or directory.',
    );
  });

  it('must be one that this user may write', async function () {
    if (!root0) skip(this, 'only root can become another user');
    const { uid, gid } = serverUser('/nowhere') ?? { uid: 0, gid: 0 };
    const user = startEmbeddedProcess('/root/chapter-data', { uid, gid, cwd: '/', env: { PATH: process.env['PATH'] } });
    expect(await user.url.catch(String)).to.include('DATA_DIR (/root/chapter-data) cannot be used: permission denied.');
    await user.leave();
  });

  describe('with damaged files of PostgreSQL', () => {
    const append = (file: string, text: string): void => appendFileSync(file, text);
    const remove = (path: string): void => rmSync(path, { recursive: true });
    const damages = {
      'global/pg_control is missing': {
        damage: (cluster: string) => remove(join(cluster, 'global/pg_control')),
        lastLine: 'could not open file ".*/global/pg_control"',
      },
      'pg_wal is missing': { damage: (cluster: string) => remove(join(cluster, 'pg_wal')), lastLine: 'pg_wal' },
      'postgresql.conf has garbage': {
        damage: (cluster: string) => append(join(cluster, 'postgresql.conf'), '\n\0\x01 ?\n'),
        lastLine: 'postgresql.conf" contains errors',
      },
      'PG_VERSION has garbage': {
        damage: (cluster: string) => writeFileSync(join(cluster, 'PG_VERSION'), 'x\n'),
        lastLine: 'is not a valid data directory',
      },
      'only PG_VERSION is left': {
        damage: (cluster: string) => {
          for (const name of readdirSync(cluster)) if (name !== 'PG_VERSION') remove(join(cluster, name));
        },
        lastLine: 'could not',
      },
    };
    const cases = Object.entries(damages);
    const refusals = new Map<string, { readonly dataDir: string; readonly sentence: string }>();

    // All at once: each start is tried for three seconds before it counts as failed.
    before(async () => {
      const intact = join(root, 'intact');
      const { close } = await openEmbeddedDatabase(intact);
      await close();
      const start = async ([title, { damage }]: (typeof cases)[number]): Promise<void> => {
        const dataDir = mkdtempSync(join(root, 'damaged-'));
        // As root, the files belong to the user that PostgreSQL runs as.
        execFileSync('cp', ['-Rp', `${intact}/.`, dataDir]);
        // An older line is not the reason.
        append(join(dataDir, 'postgres.log'), 'FATAL:  an old reason\n');
        damage(join(dataDir, 'postgres'));
        refusals.set(title, { dataDir, sentence: await refusal(dataDir) });
      };
      await Promise.all(cases.map(start));
    });

    for (const [title, { lastLine }] of cases) {
      it(`reports the last line of PostgreSQL, its log and what to do when ${title}`, () => {
        const { dataDir, sentence } = refusals.get(title) ?? expect.fail();
        expect(sentence).to.match(new RegExp(`does not start; its last line is ".*${lastLine}.*" \\(`));
        expect(sentence).to.include(
          `(${dataDir}/postgres.log); if its files are damaged, restore a backup of DATA_DIR`,
        );
        expect(sentence).to.match(/, or delete DATA_DIR to begin anew without its data\.$/);
        expect(sentence).not.to.include('old reason');
      });
    }
  });
});
