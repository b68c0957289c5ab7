import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1;

/** Returns the source files in the folders. Each folder must have some, so that a renamed folder is noticed. */
const filesIn = (...folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) => {
    const files = globSync(`${folder}/**/*.{ts,mts,cts,js,mjs,cjs}`, { exclude: ['**/{node_modules,dist}/**'] });
    expect(files, folder).not.to.be.empty;
    return files;
  });

describe('Source files', () => {
  it('have at most 250 lines', () => {
    const files = filesIn('packages', 'bench', 'examples', 'scripts', 'test', 'test-support');
    expect(files.filter((path) => linesOf(path) > 250)).to.deep.equal([]);
  });

  it('of the packages have at most 50 lines in the median', () => {
    const sizes = filesIn('packages/*/src').map(linesOf);
    expect(sizes.toSorted((one, other) => one - other)[Math.floor(sizes.length / 2)]).to.be.at.most(50);
  });

  it('of the benchmarks have at most 2,000 lines in all', () => {
    const sizes = filesIn('bench').map(linesOf);
    expect(sizes.reduce((total, lines) => total + lines)).to.be.at.most(2000);
  });
});
