import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { ensureFile } from '../files/temporary-path.ts';

/** The files of the embedded PostgreSQL in `DATA_DIR`. */
export interface DataDirectory {
  /** The directory of PostgreSQL's data files. */
  readonly cluster: string;
  /** PostgreSQL's log file. */
  readonly log: string;
  /** The file with the server's port. Used only if the path of a socket would be too long. */
  readonly port: string;
  /** The random password of the only role. It is stored in this directory only. */
  readonly password: string;
}

const PASSWORD_FILE = 'postgres-password';

/** Returns a function that runs file operations and turns their file errors into an OperatorError that names `dataDir`. */
export const withDataDirErrors =
  (dataDir: string) =>
  async <T>(use: () => T | Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      if (error instanceof OperatorError || !(error instanceof Error && 'code' in error)) throw error;
      throw new OperatorError(`DATA_DIR (${dataDir}) cannot be used: ${fileErrorReason(error)}.`, error);
    }
  };

/** Returns the paths and the password of an existing data directory. */
export const directoryOf = (dataDir: string): DataDirectory => ({
  cluster: join(dataDir, 'postgres'),
  log: join(dataDir, 'postgres.log'),
  port: join(dataDir, 'postgres-port'),
  password: readFileSync(join(dataDir, PASSWORD_FILE), 'utf8'),
});

/** Creates the directory unless it exists. @throws OperatorError if it cannot be read or written. */
export const openDataDirectory = (dataDir: string): Promise<DataDirectory> =>
  withDataDirErrors(dataDir)(() => {
    makeDirectory(dataDir);
    ensureFile(join(dataDir, PASSWORD_FILE), () => randomBytes(24).toString('base64url'));
    return directoryOf(dataDir);
  });
