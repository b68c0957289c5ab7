import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { makeDirectory } from '../files/make-directory.ts';

/** Where the embedded PostgreSQL keeps things, below `DATA_DIR`. */
export interface DataDirectory {
  /** PostgreSQL's own files. */
  readonly cluster: string;
  /** What PostgreSQL says. */
  readonly log: string;
  /** The port where a socket cannot be used. */
  readonly port: string;
  /** The password of the one role, which is random and never leaves this directory. */
  readonly password: string;
}

const PASSWORD_FILE = 'postgres-password';

/** Runs what touches the files of `dataDir`, and makes a sentence of what goes wrong with them. */
export const inDataDir =
  (dataDir: string) =>
  async <T>(use: () => T | Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      if (error instanceof OperatorError || !(error instanceof Error && 'code' in error)) throw error;
      throw new OperatorError(`DATA_DIR (${dataDir}) cannot be used: ${fileErrorReason(error)}.`, error);
    }
  };

/** Makes a secret where there is none yet: of two processes that make one, both read the same. */
const ensureSecret = (file: string): void => {
  if (existsSync(file)) return;
  const own = `${file}.${process.pid}`;
  try {
    writeFileSync(own, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
    linkSync(own, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(own, { force: true });
  }
};

/** The paths and the password of a data directory that is there. */
export const directoryOf = (dataDir: string): DataDirectory => ({
  cluster: join(dataDir, 'postgres'),
  log: join(dataDir, 'postgres.log'),
  port: join(dataDir, 'postgres-port'),
  password: readFileSync(join(dataDir, PASSWORD_FILE), 'utf8'),
});

/** Makes the directory where there is none. @throws OperatorError where it cannot be read or written. */
export const openDataDirectory = (dataDir: string): Promise<DataDirectory> =>
  inDataDir(dataDir)(() => {
    makeDirectory(dataDir);
    ensureSecret(join(dataDir, PASSWORD_FILE));
    return directoryOf(dataDir);
  });
