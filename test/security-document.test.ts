import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';

const DOCUMENT = 'docs/security-checks.md';

/** The entries of the document: an attack, its outcome, and the titles and files of the tests that try it. */
const attacks = readFileSync(DOCUMENT, 'utf8')
  .split(/^(?=- )/m)
  .slice(1)
  .map((entry) => ({
    heading: entry.slice(0, entry.indexOf('\n')),
    named: [...entry.matchAll(/^ {2}- \[(.+)\]\(\.\.\/(\S+\.test\.ts)\)$/gm)].map(([, title = '', file = '']) => ({
      title,
      file,
    })),
    tests: entry.match(/^ {2}- /gm) ?? [],
  }));
const named = attacks.flatMap((attack) => attack.named);

describe(DOCUMENT, () => {
  it('names existing tests', () => {
    const files = [...new Set(named.map(({ file }) => file))];
    const { stdout } = spawnSync('node_modules/.bin/mocha', ['--dry-run', '--reporter', 'json', ...files], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    const listed: { readonly tests: readonly { readonly file: string; readonly title: string }[] } = JSON.parse(
      stdout.slice(stdout.indexOf('{')),
    );
    const known = new Set(listed.tests.map(({ file, title }) => `${file.slice(process.cwd().length + 1)}: ${title}`));
    const isKnown = ({ title, file }: (typeof named)[number]): boolean => known.has(`${file}: ${title}`);
    expect(atLeast(200, named).filter((one) => !isKnown(one))).to.deep.equal([]);
  });

  it('names an outcome and a test for every attack', () => {
    for (const attack of atLeast(90, attacks)) {
      expect(attack.heading).to.match(/^- \*\*.{10,}\*\*: .{3,}$/);
      expect(attack.named, attack.heading).to.have.length(attack.tests.length).and.not.be.empty;
    }
  });
});
