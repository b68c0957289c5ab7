// Builds and packs every package, and checks the tarballs that would be published.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackages } from '../test-support/pack-packages.ts';

const directory = mkdtempSync(join(tmpdir(), 'chapter-packages-'));

const run = (command: string, args: readonly string[]): void => {
  const { error, status, stderr, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  // Without a process, there is an error instead of the output.
  console.error(`${command} ${args.join(' ')}\n${[stdout, stderr, error?.message].join('')}`);
  process.exitCode = 1;
};

try {
  for (const tarball of packPackages(readdirSync('packages'), directory)) {
    run('publint', ['run', '--strict', tarball]);
    run('attw', ['--profile', 'esm-only', tarball]);
  }
} finally {
  rmSync(directory, { recursive: true });
}
