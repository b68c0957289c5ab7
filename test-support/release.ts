import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the full hash of a release's commit from CHANGELOG.md. @throws Error if CHANGELOG.md has no commit for it. */
export const releaseCommit = (version: string): string => {
  const [, section = ''] = readFileSync('CHANGELOG.md', 'utf8').split(`\n## [${version}] `);
  const hash = /^Commit ([0-9a-f]{40})\.$/m.exec(section.split('\n## ')[0] ?? '')?.[1];
  if (hash === undefined) throw new Error(`CHANGELOG.md names no commit for release ${version}`);
  return hash;
};

/** Returns whether this clone has the commit; a shallow clone may not have it. */
export const hasCommit = (hash: string): boolean =>
  spawnSync('git', ['cat-file', '-e', `${hash}^{commit}`], { stdio: 'ignore' }).status === 0;

/** The files of a commit in a temporary folder, with the dependencies that the service needs. */
export interface ReleaseTree {
  readonly path: string;
  readonly remove: () => void;
}

interface Manifest {
  readonly packageManager: string;
}

/** Unpacks and installs a commit. @throws Error with the output of the command that failed. */
export const installRelease = (hash: string): ReleaseTree => {
  const path = mkdtempSync(join(tmpdir(), 'chapter-release-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  const run = (command: string, args: readonly string[], cwd = path): void => {
    const { error, status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} failed for commit ${hash}: ${error?.message ?? stderr}`);
  };
  try {
    mkdirSync(join(path, 'tree'));
    const archive = join(path, 'tree.tar');
    run('git', ['archive', '--output', archive, hash], process.cwd());
    run('tar', ['-xf', archive, '-C', 'tree']);
    const { packageManager } = JSON.parse(readFileSync(join(path, 'tree/package.json'), 'utf8')) as Manifest;
    const production = ['--frozen-lockfile', '--prod', '--filter', '@chapter/app...'];
    run('npx', ['-y', packageManager, '--dir', 'tree', 'install', ...production]);
    return { path: join(path, 'tree'), remove };
  } catch (error) {
    remove();
    throw error;
  }
};
