import { spawnSync } from 'node:child_process';

// Everything, then the domain once more on its own: there without the types of Node.
for (const project of ['tsconfig.json', 'packages/domain/tsconfig.json']) {
  const { status } = spawnSync('tsc', ['-p', project], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
