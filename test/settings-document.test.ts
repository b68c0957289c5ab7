import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';

describe('docs/settings.md', () => {
  it('lists exactly the settings that are read', () => {
    const code = readFileSync('packages/app/src/config/config.ts', 'utf8');
    const isRead = atLeast(
      30,
      [...code.matchAll(/(?:get|secret)\(\s*'(\w+)'/g)].map(([, name]) => name),
    );
    const rows = readFileSync('docs/settings.md', 'utf8').matchAll(/^\| (`[^|]+)\|/gm);
    const shown = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(shown).to.have.members(isRead);
  });
});
