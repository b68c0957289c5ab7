import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { lineCommentPassages, markdownPassages, type Passage, sourcePassages } from '../test-support/prose/passages.ts';

const MAX_SENTENCE_WORDS = 40;

/** Words and phrases that the texts of the product must not contain, and what to write instead. */
const BANNED: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  {
    pattern: /\b(?:nobody|somebody|everybody|anybody|whoever|whatever|whom|whence)\b/i,
    advice: 'name the thing that acts: the caller, the client, the operator, no one',
  },
  { pattern: /\bas it is\b/i, advice: 'write "unchanged" or say how it is' },
  { pattern: /\bso many\b/i, advice: 'name the number or the limit' },
  { pattern: /\banswers\b/i, advice: 'write "returns" or "responses"' },
];

const sentencesOf = (text: string): readonly string[] => text.split(/[.!?]["')\]]?\s+/);

const wordsIn = (sentence: string): number => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** Returns how a passage breaks the rules for texts in CONTRIBUTING.md. */
const faultsIn = ({ text, hasSentences }: Passage): readonly string[] => [
  ...BANNED.flatMap(({ pattern, advice }) => {
    const [found] = pattern.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}": ${advice}`];
  }),
  ...(hasSentences ? sentencesOf(text) : [])
    .filter((sentence) => wordsIn(sentence) > MAX_SENTENCE_WORDS)
    .map((sentence) => `a sentence of ${wordsIn(sentence)} words: "${sentence.slice(0, 60)}…"`),
];

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
    '{deploy,scripts,test-support,examples}/**/{Dockerfile,*.cfg,*.sh,*.cedar,*.cedarschema}',
  ],
  { exclude },
);
/** Files of which every line is checked for words, because their texts are not only in line comments. */
const others = globSync('{packages,deploy,examples}/**/*.{css,html,py,yaml}', { exclude });

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
    expect(sources).to.include.members(['test/prose.test.ts', 'test-support/prose/passages.ts']);
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

  it('finds words in comments, messages, titles, documents, scripts and pages, but not in code', () => {
    const code = `// Nobody reads\n// whatever this is.\nconst a = 'so many words';\n/** It\n * answers. */\nconst b = \`as it is \${a} and whom \`;\n`;
    expect(faultsOf('a.ts', code)).to.have.deep.members([
      [1, '"Nobody"'],
      [4, '"answers"'],
      [3, '"so many"'],
      [6, '"as it is"'],
      [6, '"whom"'],
    ]);
    const title = "it('tells somebody off', () => {\n  check('nobody is here');\n});";
    expect(faultsOf('a.test.ts', title)).to.deep.equal([[1, '"somebody"']]);
    const document = 'One\nwhoever line.\n\n```\nnobody here\n```\n\n| a | whence b |\n\nThe `nobody` account.\n';
    expect(faultsOf('a.md', document)).to.deep.equal([
      [1, '"whoever"'],
      [8, '"whence"'],
    ]);
    const script = '#!/bin/sh nobody\n# Nobody\n# reads this.\n\necho nobody # nobody\n';
    expect(faultsOf('run', script)).to.deep.equal([[2, '"Nobody"']]);
    expect(faultsOf('examples/browser/members.html', script).map(([line]) => line)).to.deep.equal([1, 2, 5]);
  });

  it('finds sentences of more than 40 words', () => {
    expect(faultsOf('a.md', `Short. ${long}. Short.`)).to.deep.equal([[1, 'a sentence of 41 words']]);
    expect(faultsOf('a.md', `${'word '.repeat(40)}. Short.`)).to.deep.equal([]);
    expect(faultsOf('a.md', `- ${'word '.repeat(30)}\n- ${'word '.repeat(30)}\n`)).to.deep.equal([]);
    expect(faultsOf('a.ts', `// ${long}\n\nconst a = '${long}';\nconst b = 'select ${long}';\n`)).to.have.length(2);
    expect(faultsOf('a.test.ts', `it('${long}', () => {});\n`)).to.have.length(1);
  });
});
