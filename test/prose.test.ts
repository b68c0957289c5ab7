import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { markdownPassages, sourcePassages } from '../test-support/prose/passages.ts';
import { faultsIn } from '../test-support/prose/rules.ts';

const sources = globSync(
  [
    '{packages/*/{src,test},test,test-support,scripts,bench,examples}/**/*.{ts,mts,mjs,js}',
    '*.{ts,js,mjs,cjs}',
    '.*.cjs',
  ],
  { exclude: ['**/node_modules/**', '**/dist/**', 'test/prose.test.ts', 'test-support/prose/**'] },
);
const documents = globSync(['*.md', '{docs,bench,deploy,examples,packages}/**/*.md'], {
  exclude: ['**/node_modules/**', '**/dist/**'],
});

const passagesOf = (path: string) => {
  const text = readFileSync(path, 'utf8');
  return path.endsWith('.md') ? markdownPassages(text) : sourcePassages(path, text);
};

describe('The prose of the repository', () => {
  it('follows the writing rules', () => {
    const faults = [...documents, ...sources].flatMap((path) =>
      passagesOf(path).flatMap((passage) => faultsIn(passage).map((fault) => `${path}:${passage.line}: ${fault}`)),
    );
    expect(faults.join('\n')).to.equal('');
  });

  it('is all looked at', () => {
    expect(documents.length).to.be.greaterThan(25);
    expect(sources.length).to.be.greaterThan(600);
  });
});

describe('The check of prose', () => {
  const faultsOf = (path: string, text: string): readonly (readonly [number, string])[] =>
    (path.endsWith('.md') ? markdownPassages(text) : sourcePassages(path, text)).flatMap((passage) =>
      faultsIn(passage).map((fault) => [passage.line, fault.slice(0, fault.indexOf(':'))] as const),
    );
  const long = 'word '.repeat(41);

  it('finds words in comments, messages and titles', () => {
    const text = `// Nobody reads\n// whatever this is.\nconst a = 'so many words';\n/** It\n * answers. */\nconst b = \`as it is \${a} and whom \`;\n`;
    expect(faultsOf('a.ts', text)).to.have.deep.members([
      [1, '"Nobody"'],
      [4, '"answers"'],
      [3, '"so many"'],
      [6, '"as it is"'],
      [6, '"whom"'],
    ]);
    expect(faultsOf('a.test.ts', 'it(`is ${a} and whom`, () => {});')).to.deep.equal([[1, '"whom"']]);
    expect(faultsOf('a.test.ts', "it('tells somebody off', () => {\n  check('nobody is here');\n});")).to.deep.equal([
      [1, '"somebody"'],
    ]);
  });

  it('finds them in documents, but not in code', () => {
    const text = 'One\nwhoever line.\n\n```\nnobody here\n```\n\n| a | whence b |\n\nThe `nobody` account.\n';
    expect(faultsOf('a.md', text)).to.deep.equal([
      [1, '"whoever"'],
      [8, '"whence"'],
    ]);
  });

  it('finds sentences of more than 40 words', () => {
    expect(faultsOf('a.md', `Short. ${long}. Short.`)).to.deep.equal([[1, 'a sentence of 41 words']]);
    expect(faultsOf('a.md', `${'word '.repeat(40)}. Short.`)).to.deep.equal([]);
    expect(faultsOf('a.md', `- ${'word '.repeat(30)}\n- ${'word '.repeat(30)}\n`)).to.deep.equal([]);
    expect(faultsOf('a.ts', `// ${long}\n\n// ${long}\n`).length).to.equal(2);
    expect(faultsOf('a.ts', `const a = '${long}';\n`)).to.deep.equal([]);
  });
});
