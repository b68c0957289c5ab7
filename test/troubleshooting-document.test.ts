import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';

describe('docs/troubleshooting.md', () => {
  const document = readFileSync('docs/troubleshooting.md', 'utf8');
  const messages = [...document.matchAll(/^### `(.+)`$/gm)].map(([, message = '']) => message);

  it('explains messages whose texts are in the program', () => {
    const sources = globSync('{packages/*/src,scripts}/**/*.{ts,mjs}').map((file) => readFileSync(file, 'utf8'));
    const partsOf = (message: string) => message.split(/\W*…\W*/).filter((part) => part !== '');
    // One file has all fixed parts of a message.
    const unknown = atLeast(10, messages).filter(
      (message) => !sources.some((source) => partsOf(message).every((part) => source.includes(part))),
    );
    expect(unknown).to.deep.equal([]);
  });
});
