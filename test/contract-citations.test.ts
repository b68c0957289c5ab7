import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';

const paths = globSync(
  ['{packages,test,test-support,scripts,bench,examples,docs,deploy}/**/*.{ts,mjs,js,md}', '*.md'],
  { exclude: ['**/node_modules/**', '**/dist/**', 'test/contract-citations.test.ts'] },
);
const files = atLeast(800, paths);
const sections = new Set(
  [...readFileSync('docs/contract.md', 'utf8').matchAll(/^## (\d+)\. /gm)].map(([, number]) => Number(number)),
);

const citations = files.flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(/contract (§\d+(?:(?:,| and) §\d+)*)/gi)].flatMap(([, numbers = '']) =>
    [...numbers.matchAll(/\d+/g)].map(([number]) => ({ path, number: Number(number) })),
  ),
);

describe('Citations of the contract', () => {
  it('name sections of docs/contract.md', () => {
    expect(sections.size).to.be.greaterThan(9);
    expect(atLeast(100, citations).filter(({ number }) => !sections.has(number))).to.deep.equal([]);
  });

  it('are all written as "contract §5"', () => {
    const others = files.filter((path) =>
      /\b(specification|contract)(?:'s)?,? sections? \d/i.test(readFileSync(path, 'utf8')),
    );
    expect(others).to.deep.equal([]);
  });
});
