import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDataDirectory } from '../../src/embedded/data-directory.ts';
import { joinOrStart } from '../../src/embedded/join-or-start.ts';

/** Resolves when no process has the id. */
const untilEnded = async (pid: number): Promise<void> => {
  try {
    while (process.kill(pid, 0)) await new Promise(setImmediate);
  } catch {
    // The process has ended.
  }
};

describe('An embedded PostgreSQL that accepts no connection', () => {
  it('is stopped after the time limit, and reported without advice to delete its files', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'chapter-start-'));
    const [postgres, pidFile] = [join(dir, 'postgres'), join(dir, 'pid')];
    writeFileSync(
      postgres,
      `#!/bin/sh\necho recovering\necho $$ > ${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nexec sleep 3600\n`,
    );
    chmodSync(postgres, 0o755);
    const directory = await openDataDirectory(join(dir, 'data'));
    mkdirSync(directory.cluster);
    const error: unknown = await joinOrStart(directory, postgres, undefined, 2000).catch((thrown: unknown) => thrown);
    if (existsSync(pidFile)) await untilEnded(Number(readFileSync(pidFile, 'utf8')));
    rmSync(dir, { recursive: true });
    const { cluster, log } = directory;
    expect(error)
      .to.be.an('error')
      .with.property(
        'message',
        `The embedded PostgreSQL in ${cluster} accepted no connection within 2 s; the last line of its log is "recovering" (${log}); if it is recovering from a crash or the machine is busy, start the program again.`,
      );
  });
});
