import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { execute } from '../test-support/processes.ts';

const PATCH = 'docs/examples/new-field.patch';

describe('The recorded example of a new field', () => {
  it('changes at most ten files, which the architecture document lists', () => {
    const changed = [...readFileSync(PATCH, 'utf8').matchAll(/^\+\+\+ b\/packages\/(.+)$/gm)].map(([, file]) => file);
    const [, section = ''] = readFileSync('docs/architecture.md', 'utf8').split('\n## Adding a field\n');
    const listed = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file?.replace('NAME', '0008-phones'));
    expect(listed).to.have.members(changed);
    expect(changed).to.have.length.at.most(10);
  });

  it('applies to the packages', () => execute('git', ['apply', '--check', PATCH]));
});
