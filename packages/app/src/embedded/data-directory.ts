import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileErrorReason } from '../errors/file-error-reason.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { ensureFile } from '../files/aside.ts';
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
    ensureFile(join(dataDir, PASSWORD_FILE), () => randomBytes(24).toString('base64url'));
    return directoryOf(dataDir);
  });
