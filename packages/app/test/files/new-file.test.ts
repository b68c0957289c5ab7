import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { beginFile, ensureFile, makeTemporaryPath } from '../../src/files/new-file.ts';

describe('A file that is built at a temporary path', () => {
  let dir: string;
  let file: string;

  beforeEach(() => {
    dir = makeFolder();
    file = join(dir, 'target');
  });

  const build = (finish: 'create' | 'replace'): void => {
    using temporary = makeTemporaryPath(file);
    writeFileSync(temporary.path, 'new');
    temporary[finish]();
  };

  for (const finish of ['create', 'replace'] as const) {
    it(`appears complete and leaves no temporary path after ${finish}`, () => {
      build(finish);
      expect(readFileSync(file, 'utf8')).to.equal('new');
      expect(readdirSync(dir)).to.deep.equal(['target']);
    });
  }

  it('replaces an existing file, but does not create it again', () => {
    writeFileSync(file, 'old');
    expect(() => build('create')).to.throw(/EEXIST/);
    expect([readFileSync(file, 'utf8'), readdirSync(dir)]).to.deep.equal(['old', ['target']]);
    build('replace');
    expect(readFileSync(file, 'utf8')).to.equal('new');
  });

  it('leaves nothing if the work on the file or folder fails', () => {
    const fail = (make: (path: string) => void): void => {
      using temporary = makeTemporaryPath(file);
      make(temporary.path);
      throw new Error('failed');
    };
    for (const make of [mkdirSync, (path: string) => writeFileSync(path, ''), () => {}]) {
      expect(() => fail(make)).to.throw('failed');
      expect(readdirSync(dir)).to.deep.equal([]);
    }
  });

  it('is created once, for its owner alone', () => {
    ensureFile(file, () => 'first');
    ensureFile(file, () => 'second');
    expect(readFileSync(file, 'utf8')).to.equal('first');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(dir)).to.deep.equal(['target']);
  });

  it('keeps the content of another process that creates it in the meantime', () => {
    ensureFile(file, () => {
      writeFileSync(file, 'other');
      return 'own';
    });
    expect(readFileSync(file, 'utf8')).to.equal('other');
    expect(readdirSync(dir)).to.deep.equal(['target']);
  });

  it('reports why it cannot be created', () => {
    writeFileSync(file, '');
    expect(() => ensureFile(join(file, 'below'), () => '')).to.throw(/EEXIST/);
  });

  it('is not blamed for a lost connection to the source of its bytes', async () => {
    const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    const { discard, write } = await beginFile(file, false);
    const bytes = new Readable({ read: () => void bytes.destroy(lost) });
    expect(await write(bytes).catch((error: unknown) => error)).to.equal(lost);
    await discard();
  });
});
