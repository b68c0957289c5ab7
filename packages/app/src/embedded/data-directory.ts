import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileFault } from '../file-fault.ts';
import { OperatorError } from '../operator-error.ts';

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

/** Runs what touches the files of `dataDir`, and makes a sentence of what goes wrong with them. */
export const inDataDir =
  (dataDir: string) =>
  async <T>(use: () => T | Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      if (error instanceof OperatorError || !(error instanceof Error && 'code' in error)) throw error;
      throw new OperatorError(`DATA_DIR (${dataDir}) cannot be used: ${fileFault(error)}.`, error);
    }
  };

/** Reads a secret, after making it where there is none yet: of two processes that make one, both read the same. */
const keptSecret = (file: string): string => {
  const own = `${file}.${process.pid}`;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  try {
    writeFileSync(own, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
    linkSync(own, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(own, { force: true });
  }
  return readFileSync(file, 'utf8');
};

/**
 * Makes a directory and those above it. Node's own way tries for ever where a file system refuses new directories with
 * ENOENT, as /proc does.
 */
const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path);
  }
};

/** Makes the directory where there is none. @throws OperatorError where it cannot be read or written. */
export const openDataDirectory = (dataDir: string): Promise<DataDirectory> =>
  inDataDir(dataDir)(() => {
    makeDirectory(dataDir);
    return {
      cluster: join(dataDir, 'postgres'),
      log: join(dataDir, 'postgres.log'),
      port: join(dataDir, 'postgres-port'),
      password: keptSecret(join(dataDir, 'postgres-password')),
    };
  });
