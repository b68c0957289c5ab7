import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { lineCommentPassages, markdownPassages, type Passage, sourcePassages } from '../test-support/prose/passages.ts';
import { faultsIn } from '../test-support/prose/rules.ts';

const exclude = ['**/node_modules/**', '**/dist/**'];
const sources = globSync(
  [
    '{packages/*/{src,test,assets},test,test-support,scripts,bench,examples}/**/*.{ts,mts,mjs,js}',
    '*.{ts,js,mjs,cjs}',
    '.*.{cjs,mjs}',
  ],
  { exclude },
);
const documents = globSync(['*.md', '{docs,bench,deploy,examples,packages}/**/*.md'], {
  exclude,
});
const scripts = globSync(
  [
    '{Dockerfile,compose.yaml,pnpm-workspace.yaml,.ci/run,.dockerignore}',
    '{scripts,test-support,examples}/**/{Dockerfile,*.sh,*.cedar,*.cedarschema}',
  ],
  { exclude },
);
/** Files of which every line is checked for words, because their texts are not only in line comments. */
const others = globSync('{packages,examples}/**/*.{css,html,py,yaml}', { exclude });

const passagesIn = (path: string, text: string): readonly Passage[] => {
  if (path.endsWith('.md')) return markdownPassages(text);
  if (others.includes(path)) {
    return text.split('\n').map((line, at) => ({ line: at + 1, text: line, hasSentences: false }));
  }
  return /\.[cm]?[jt]s$/.test(path) ? sourcePassages(path, text) : lineCommentPassages(text);
};

describe('The prose of the repository', () => {
  it('follows the writing rules', () => {
    const faults = [...documents, ...sources, ...scripts, ...others].flatMap((path) =>
      passagesIn(path, readFileSync(path, 'utf8')).flatMap((passage) =>
        faultsIn(passage).map((fault) => `${path}:${passage.line}: ${fault}`),
      ),
    );
    expect(faults.join('\n')).to.equal('');
  });

  it('is all looked at', () => {
    expect(documents.length).to.be.greaterThan(25);
    expect(sources.length).to.be.greaterThan(600);
    expect(sources).to.include.members(['test/prose.test.ts', 'test-support/prose/rules.ts']);
    expect(scripts).to.include.members(['.ci/run', 'Dockerfile']);
    expect(others).to.include.members(['examples/python/chapter.py', 'examples/browser/members.html']);
  });
});

describe('The check of prose', () => {
  const faultsOf = (path: string, text: string): readonly (readonly [number, string])[] =>
    passagesIn(path, text).flatMap((passage) =>
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

  it('finds them in the comments of scripts, and in every line of pages', () => {
    const text = '#!/bin/sh nobody\n# Nobody\n# reads this.\n\necho nobody # nobody\n  // whom\n';
    expect(faultsOf('run', text)).to.deep.equal([
      [2, '"Nobody"'],
      [6, '"whom"'],
    ]);
    // Pages, style sheets and Python are checked in every line.
    const lines = faultsOf('examples/browser/members.html', text).map(([line]) => line);
    expect(lines).to.deep.equal([1, 2, 5, 6]);
  });

  it('finds sentences of more than 40 words', () => {
    expect(faultsOf('a.md', `Short. ${long}. Short.`)).to.deep.equal([[1, 'a sentence of 41 words']]);
    expect(faultsOf('a.md', `${'word '.repeat(40)}. Short.`)).to.deep.equal([]);
    expect(faultsOf('a.md', `- ${'word '.repeat(30)}\n- ${'word '.repeat(30)}\n`)).to.deep.equal([]);
    expect(faultsOf('a.ts', `// ${long}\n\n// ${long}\n`).length).to.equal(2);
    expect(faultsOf('a.ts', `const a = '${long}';\n`).length).to.equal(1);
    expect(faultsOf('a.test.ts', `it('${long}', () => {});\n`).length).to.equal(1);
    expect(faultsOf('a.ts', `const a = 'select ${long}';\n`)).to.deep.equal([]);
    expect(faultsOf('a.md', `${'word '.repeat(30)}: ${'word '.repeat(30)}\n`).length).to.equal(1);
  });
});
