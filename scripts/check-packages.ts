// Builds and packs every package, and checks the tarballs that would be published.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { makeFolder } from '../test-support/folders.ts';
import { packPackages } from '../test-support/pack-packages.ts';

const run = (command: string, args: readonly string[]): void => {
  const { error, status, stderr, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  // Without a process, there is an error instead of the output.
  console.error(`${command} ${args.join(' ')}\n${[stdout, stderr, error?.message].join('')}`);
  process.exitCode = 1;
};

for (const tarball of packPackages(readdirSync('packages'), makeFolder())) {
  run('publint', ['run', '--strict', tarball]);
  run('attw', ['--profile', 'esm-only', tarball]);
}
