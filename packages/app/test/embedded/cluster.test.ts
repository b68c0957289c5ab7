import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { ensureCluster } from '../../src/embedded/cluster.ts';

describe('ensureCluster', () => {
  for (const [title, script, reason] of [
    ['the last line of initdb', 'echo one >&2; echo two >&2; exit 1', 'two'],
    ['an unknown error if initdb fails without output', 'exit 1', 'unknown error'],
  ]) {
    it(`reports ${title}, and leaves no files`, async () => {
      const dir = makeFolder();
      const initdb = join(dir, 'initdb');
      writeFileSync(initdb, `#!/bin/sh\n${script}\n`);
      chmodSync(initdb, 0o755);
      const cluster = join(dir, 'cluster');
      const error: unknown = await ensureCluster(cluster, {
        initdb,
        major: '18',
        password: 'x',
        user: undefined,
      }).catch((thrown: unknown) => thrown);
      const left = readdirSync(dir);
      expect(String(error)).to.include(`The embedded PostgreSQL could not create its files in ${cluster}: ${reason}`);
      expect(left).to.deep.equal(['initdb']);
    });
  }
});
