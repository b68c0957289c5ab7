import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf, fileErrorReason, OperatorError } from '../errors/operator-error.ts';

/** Returns a temporary path to build `target`, a file or folder. With `using`, nothing remains there if that fails. */
export const makeTemporaryPath = (target: string, path = `${target}.${process.pid}`) => ({
  path,
  /** Moves the built file or folder to its final path and replaces an existing file. */
  replace: () => renameSync(path, target),
  /** Links the built file to its final path. @throws EEXIST if that path exists. */
  create: () => linkSync(path, target),
  [Symbol.dispose]: (): void => {
    // Even a forced removal throws if a part of the path is a file.
    if (existsSync(path)) rmSync(path, { recursive: true, force: true });
  },
});

/**
 * Creates a directory and its missing parents, which only their owner can access. Does not use the option `recursive`:
 * Node then never returns on a file system that refuses new directories with ENOENT, such as /proc.
 */
const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path);
  }
};

/**
 * Creates a file that only its owner can read, and its directory, unless it exists. Concurrent processes keep the
 * content of the first.
 */
export const ensureFile = (file: string, makeText: () => string): void => {
  if (existsSync(file)) return;
  makeDirectory(dirname(file));
  using temporary = makeTemporaryPath(file);
  try {
    writeFileSync(temporary.path, makeText(), { mode: 0o600, flush: true });
    temporary.create();
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(file)) throw error;
  }
};

const cannotWrite = (path: string, error: unknown): OperatorError =>
  new OperatorError(`${resolve(path)} cannot be written: ${fileErrorReason(error)}.`, error);

const alreadyExists = (path: string): OperatorError =>
  new OperatorError(`${path} already exists; choose another name, or overwrite it with --force.`);

const refuseExisting = async (path: string, force: boolean): Promise<void> => {
  const existing = await lstat(path).catch(() => null);
  if (existing && !force) throw alreadyExists(path);
  if (existing && !existing.isFile())
    throw new OperatorError(`${path} cannot be overwritten: it is not a regular file.`);
};

const moveToFinalPath = async (temporary: ReturnType<typeof makeTemporaryPath>, path: string, force: boolean) => {
  if (!force) {
    try {
      return temporary.create();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyExists(path);
      // Some file systems have no hard links.
      await refuseExisting(path, force);
    }
  }
  temporary.replace();
};

/**
 * Starts a file, which appears under its name only when it is complete, and which only its owner can read.
 *
 * @throws OperatorError if it cannot be written, or exists and must not be overwritten.
 */
export const beginFile = async (path: string, force: boolean) => {
  await refuseExisting(path, force);
  const temporary = makeTemporaryPath(path, join(dirname(path), `.${basename(path)}.${randomUUID()}`));
  const handle = await open(temporary.path, 'wx', 0o600).catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
  // The exit after a signal leaves no time for asynchronous work.
  const removeAtExit = (): void => temporary[Symbol.dispose]();
  process.once('exit', removeAtExit);
  return {
    write: async (bytes: Readable): Promise<void> => {
      try {
        await pipeline(bytes, handle.createWriteStream({ flush: true }));
      } catch (error) {
        // The system call `read` is that of the connection from which the bytes come.
        const { syscall = 'read' } = error as NodeJS.ErrnoException;
        throw syscall === 'read' ? error : cannotWrite(path, error);
      }
    },
    /** Moves the file to its final path. @throws OperatorError if another process has created that file meanwhile. */
    keep: () => moveToFinalPath(temporary, path, force),
    /** Closes the file and removes it unless it was kept. */
    discard: async (): Promise<void> => {
      await handle.close();
      temporary[Symbol.dispose]();
      process.off('exit', removeAtExit);
    },
  };
};

/** A file that is being written. */
export type NewFile = Awaited<ReturnType<typeof beginFile>>;
