import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from 'mocha';
import { makeFolder } from './folders.ts';
import { skip } from './skip.ts';

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

interface Manifest {
  readonly packageManager: string;
}

/**
 * Unpacks and installs a commit with the dependencies that the service needs. Returns the folder.
 *
 * @throws Error with the output of the command that failed.
 */
export const installRelease = (hash: string): string => {
  const folder = makeFolder();
  const run = (command: string, args: readonly string[], cwd = folder): void => {
    const { error, status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} failed for commit ${hash}: ${error?.message ?? stderr}`);
  };
  mkdirSync(join(folder, 'tree'));
  const archive = join(folder, 'tree.tar');
  run('git', ['archive', '--output', archive, hash], process.cwd());
  run('tar', ['-xf', archive, '-C', 'tree']);
  const { packageManager } = JSON.parse(readFileSync(join(folder, 'tree/package.json'), 'utf8')) as Manifest;
  const production = ['--frozen-lockfile', '--prod', '--filter', '@chapter/app...'];
  run('npx', ['-y', packageManager, '--dir', 'tree', 'install', ...production]);
  return join(folder, 'tree');
};

/** The folders of the installed releases by their commits: a run installs each once. */
const installed = new Map<string, string>();

/** Installs the commit of a release, or skips the tests where that is not possible. Returns the folder. */
export const installReleaseOrSkip = (context: Context, version: string): string => {
  const commit = releaseCommit(version);
  if (!hasCommit(commit)) skip(context, `this clone does not have commit ${commit}`);
  try {
    const folder = installed.get(commit) ?? installRelease(commit);
    installed.set(commit, folder);
    return folder;
  } catch (error) {
    return skip(context, `its packages cannot be installed here: ${String(error).split('\n')[0]}`);
  }
};

/**
 * Returns the domain of a commit, from the files of the commit.
 *
 * @throws Error if the clone does not have the commit, or if its domain cannot be loaded.
 */
export const loadDomain = async (commit: string): Promise<unknown> => {
  const folder = makeFolder();
  const archive = execFileSync('git', ['archive', commit, 'packages/domain/src', 'packages/domain/package.json']);
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  return import(pathToFileURL(join(folder, 'packages/domain/src/index.ts')).href);
};
