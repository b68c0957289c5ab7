import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { codeBlocks } from '../test-support/code-blocks.ts';
import { useDemoService } from '../test-support/demo-database.ts';

const section = readFileSync('README.md', 'utf8').split('\n## A first session\n')[1]?.split('\n## ')[0] ?? '';

describe('The first session of the README', () => {
  const service = useDemoService();

  it('works as described, command by command', () => {
    const steps = codeBlocks(section, 'sh').map((code) => code.replace('http://localhost:3000', service.url));
    expect(steps).to.have.length(4);
    // A separator line follows the output of each step.
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', steps.join('\necho; echo ----\n')], {
      encoding: 'utf8',
    });
    expect(status, stderr).to.equal(0);
    const [login, list, create, refusal] = stdout.split('\n----\n');
    expect(login?.trim()).to.equal('');
    expect(JSON.parse(list ?? '').results).to.have.length(1);
    expect(JSON.parse(list ?? '').results[0]).to.include({ username: 'user' });
    expect(JSON.parse(create ?? '')).to.include({ username: 'grace', email: 'grace@example.org' });
    expect(JSON.parse(refusal ?? '')).to.include({ status: 403, detail: 'only a Leader of the division may do this' });
  });
});
