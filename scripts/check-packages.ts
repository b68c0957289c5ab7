// What would be published: builds and packs every package, and looks at the tarballs as their users would get them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tarballs = mkdtempSync(join(tmpdir(), 'chapter-packages-'));

const run = (command: string, args: readonly string[], cwd = '.'): void => {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  console.error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
  process.exitCode = 1;
};

try {
  const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8')) as { packageManager: string };
  const names = readdirSync('packages');
  // What is no longer in src would otherwise stay in dist.
  for (const name of names) rmSync(`packages/${name}/dist`, { recursive: true, force: true });
  run('tsc', ['-b', '--force', 'packages/app/tsconfig.build.json']);
  for (const name of names) {
    run('npx', ['-y', packageManager, 'pack', '--pack-destination', tarballs], `packages/${name}`);
  }
  for (const file of readdirSync(tarballs)) {
    run('publint', ['run', '--strict', join(tarballs, file)]);
    run('attw', ['--profile', 'esm-only', join(tarballs, file)]);
  }
} finally {
  rmSync(tarballs, { recursive: true });
}
