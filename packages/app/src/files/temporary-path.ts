import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../errors/operator-error.ts';

/** Returns a temporary path to build `target`, a file or folder, until it is complete. With `using`, nothing remains there if the work fails. */
export const makeTemporaryPath = (target: string, path = `${target}.${process.pid}`) => ({
  path,
  /** Moves the built file or folder to its final path and replaces an existing file. */
  replace: () => renameSync(path, target),
  /** Links the built file to its final path. @throws EEXIST if that path exists. */
  create: () => linkSync(path, target),
  /** Removes what was built but not moved. */
  [Symbol.dispose]: (): void => {
    // Even a forced removal throws if a part of the path is a file.
    if (existsSync(path)) rmSync(path, { recursive: true, force: true });
  },
});

/**
 * Creates a directory and its missing parents, which only their owner can access. Does not use the option `recursive`: Node
 * then never returns on a file system that refuses new directories with ENOENT, such as /proc.
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
 * Creates a file that only its owner can read, and its directory, unless it exists. Concurrent processes keep the content of
 * the first.
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
