import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';

const run = (command: string, args: readonly string[], cwd = '.'): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
};

const packageManager = (): string =>
  (JSON.parse(readFileSync('package.json', 'utf8')) as { packageManager: string }).packageManager;

/** Builds packages, given by folder name, and packs them for publication. Returns the paths of the tarballs. */
export const packPackages = (names: readonly string[], destination: string): readonly string[] => {
  // Otherwise, dist keeps the output of deleted source files.
  for (const name of names) rmSync(`packages/${name}/dist`, { recursive: true, force: true });
  // In several threads, the compiler uses twice the CPU time, because each of them checks the types of the libraries.
  run('tsc', ['-b', '--force', '--singleThreaded', ...names.map((name) => `packages/${name}/tsconfig.build.json`)]);
  return names.map((name) => {
    const packed = run(
      'npx',
      ['-y', packageManager(), 'pack', '--json', '--pack-destination', destination],
      `packages/${name}`,
    );
    return (JSON.parse(packed) as { filename: string }).filename;
  });
};
