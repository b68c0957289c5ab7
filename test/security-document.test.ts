import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';

const DOCUMENT = 'docs/security-checks.md';
const NAMED = /\[([^\]]+)\]\(\.\.\/([^)]+\.test\.ts)\)/g;

describe(DOCUMENT, () => {
  const rows = readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| **'));
  const named = rows.flatMap((row) =>
    [...row.matchAll(NAMED)].map(([, title = '', file = '']) => ({ row, name: `${file}: ${title}` })),
  );

  it('names existing tests', () => {
    const files = [...new Set(named.map(({ name }) => name.slice(0, name.indexOf(': '))))];
    const { stdout } = spawnSync('node_modules/.bin/mocha', ['--dry-run', '--reporter', 'json', ...files], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    const listed: { readonly tests: readonly { readonly file: string; readonly title: string }[] } = JSON.parse(
      stdout.slice(stdout.indexOf('{')),
    );
    const known = new Set(listed.tests.map(({ file, title }) => `${file.slice(process.cwd().length + 1)}: ${title}`));
    expect(
      atLeast(80, named)
        .filter(({ name }) => !known.has(name))
        .map(({ name }) => name),
    ).to.deep.equal([]);
  });

  it('names a test and an outcome for every attack', () => {
    const attacks = rows.filter((row) => row.includes('.test.ts)'));
    for (const row of atLeast(40, attacks)) {
      const cells = row.split(' | ');
      expect(cells, row).to.have.lengthOf(3);
      expect(cells[2]?.length, row).to.be.greaterThan(4);
    }
  });
});
