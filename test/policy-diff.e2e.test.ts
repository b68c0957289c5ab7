import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../test-support/folders.ts';

const git = (cwd: string, ...args: readonly string[]): void => {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd, encoding: 'utf8' });
  expect([status, stderr], args.join(' ')).to.deep.equal([0, '']);
};

/** Makes a clone with two commits: the present domain, and the same one in which users may delete themselves. */
const makeClone = (): string => {
  const folder = makeFolder();
  for (const path of ['packages/domain/src', 'packages/domain/package.json']) {
    cpSync(path, join(folder, path), { recursive: true });
  }
  git(folder, 'init', '--quiet');
  const commit = (subject: string): void => {
    git(folder, 'add', '.');
    git(folder, 'commit', '--quiet', '--message', subject);
  };
  commit('Start');
  const path = join(folder, 'packages/domain/src/policy/policy.ts');
  const [row, changed] = [
    'deleteUser: orOperator(onUser(leader))',
    'deleteUser: orOperator(onUser(anyOf(self, leader)))',
  ];
  expect(readFileSync(path, 'utf8')).to.include(row);
  writeFileSync(path, readFileSync(path, 'utf8').replace(row, changed));
  commit('Let users delete themselves');
  return folder;
};

describe('npm run policy:diff', function () {
  this.timeout(60_000);
  const run = (cwd: string, ...commits: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('scripts/policy-diff.ts'), ...commits], {
      cwd,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  const clone = makeClone();

  it('prints who gains and who loses what between two commits, and succeeds', () => {
    const { status, stdout } = run(clone, 'HEAD~1', 'HEAD');
    const gains = [
      'gains deleteUser: a user; id caller.id, divisionId not caller.divisionId (forbidden → allowed)',
      '  const caller = aUser();',
      '  const other = aUser();',
      "  explain(caller, 'deleteUser', { id: caller.id, divisionId: other.divisionId });",
    ];
    expect([status, stdout.startsWith(gains.join('\n'))]).to.deep.equal([0, true]);
    expect(stdout).to.match(/\n2 differences between the policies of HEAD~1 and HEAD, found in \d+ ms\n$/);
    expect(run(clone, 'HEAD', 'HEAD~1').stdout).to.include('loses deleteUser: a user; id caller.id');
  });

  it('compares a commit with this folder, and succeeds without a difference too', () => {
    const { status, stdout } = run(clone, 'HEAD~1');
    expect(status).to.equal(0);
    expect(stdout).to.match(/^0 differences between the policies of HEAD~1 and this folder, found in \d+ ms\n$/);
  });

  it('fails with a sentence if the clone does not have the commit, or if none is named', () => {
    const sentence = 'this clone has no commit nowhere; git fetch --depth 1 origin nowhere gets it\n';
    expect(run(clone, 'nowhere')).to.deep.equal({ status: 1, stdout: '', stderr: sentence });
    expect(run(clone).stderr).to.equal('name a commit: npm run policy:diff -- COMMIT [COMMIT]\n');
  });
});
