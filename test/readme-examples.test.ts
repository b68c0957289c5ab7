import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';

const readmes = globSync('packages/*/README.md');
/** The files that tests run: tests themselves, or modules that a test of the same folder or of `test/` imports or starts. */
const tested = new Set(globSync('packages/*/test/library/*.ts').map((path) => readFileSync(path, 'utf8')));

const examplesOf = (path: string): readonly string[] =>
  Array.from(readFileSync(path, 'utf8').matchAll(/```ts\n(.*?)```/gs), ([, code = '']) => code);

describe('The READMEs of the packages', () => {
  for (const path of atLeast(4, readmes)) {
    it(`show only code in ${path} that tests run`, () => {
      const untested = atLeast(1, examplesOf(path)).filter((code) => !tested.has(code));
      expect(untested).to.deep.equal([]);
    });
  }

  it('show how to test rules in twenty lines at most', () => {
    const path = 'packages/domain/test/library/rules-example.test.ts';
    expect(readFileSync(path, 'utf8').trimEnd().split('\n').length).to.be.within(10, 20);
  });
});
