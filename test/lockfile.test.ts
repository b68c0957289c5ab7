import { readFileSync } from 'node:fs';
import { expect } from 'chai';

describe('The lockfile', () => {
  const lockfile = readFileSync(new URL('../pnpm-lock.yaml', import.meta.url), 'utf8');

  it('names no host, so that it works with every registry', () => {
    expect(lockfile).not.to.match(/\w+:\/\//);
  });
});
