import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';

const git = (...parameters: readonly string[]): string | undefined => {
  try {
    return execFileSync('git', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};

/**
 * The commit to compare with: where this branch left main, or on main itself the commit before. Undefined in a clone
 * without history.
 */
const baseCommit = (): string | undefined => {
  const head = git('rev-parse', 'HEAD');
  const bases = ['origin/main', 'main'].map((main) => git('merge-base', 'HEAD', main));
  return bases.find((base) => base !== undefined && base !== head) ?? git('rev-parse', '--verify', 'HEAD^1');
};

/** Of the files, those that changed, or whose test of the same name did. Undefined where that cannot be known. */
export const changedFiles = (files: readonly string[]): readonly string[] | undefined => {
  const base = baseCommit();
  const names = base === undefined ? undefined : git('diff', '--name-only', base, '--');
  if (names === undefined) return undefined;
  const changed = new Set(names.split('\n'));
  const tests = new Set(
    [...changed].filter((name) => name.endsWith('.test.ts')).map((name) => basename(name, '.test.ts')),
  );
  return files.filter((file) => changed.has(file) || tests.has(basename(file, '.ts')));
};
