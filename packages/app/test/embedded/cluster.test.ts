import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { ensureCluster } from '../../src/embedded/cluster.ts';

describe('ensureCluster', () => {
  /** Returns the error with an initdb that is this script, and what is left. `leftOf` is the process whose files are there. */
  const failure = async (script: string, leftOf?: number) => {
    const dir = makeFolder();
    const [initdb, cluster] = [join(dir, 'initdb'), join(dir, 'cluster')];
    writeFileSync(initdb, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    if (leftOf !== undefined) mkdirSync(`${cluster}.new-${leftOf}`);
    const options = { initdb, major: '18', password: 'x', user: undefined };
    const message = await ensureCluster(cluster, options, 0).catch(String);
    return { message, cluster, left: readdirSync(dir) };
  };

  for (const [title, script, reason] of [
    ['the last line of initdb', 'echo one >&2; echo two >&2; exit 1', 'two'],
    [
      'the reason of the server that initdb runs',
      'echo "1 FATAL:  No space left on device" >&2; echo initdb: removing contents >&2; exit 1',
      'No space left on device',
    ],
    [
      'the error of initdb',
      'echo "initdb: error: no permission" >&2; echo "initdb: hint: ask" >&2; exit 1',
      'no permission',
    ],
    ['an unknown error if initdb fails without output', 'exit 1', 'unknown error'],
  ] as const) {
    it(`reports ${title}, and leaves no files`, async () => {
      const { cluster, left, message } = await failure(script);
      expect(message).to.include(`The embedded PostgreSQL could not create its files in ${cluster}: ${reason}`);
      expect(left).to.deep.equal(['initdb']);
    });
  }

  it('removes what an earlier process with the id of this one has left', async () => {
    expect(await failure('exit 1', process.pid)).to.deep.include({ left: ['initdb'] });
  });

  it('waits only for a time for another process that seems to create the files', async () => {
    const { cluster, message } = await failure('exit 1', process.ppid);
    expect(message).to.include(
      `Another process creates the embedded PostgreSQL; if none does, delete ${cluster}.new-*`,
    );
  });
});
