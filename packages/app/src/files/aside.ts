import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A path beside the place of a file or folder, where it is built before it appears there complete. */
export interface Aside {
  readonly path: string;
  /** Moves what was built to its place, over a file that is there. */
  readonly replace: () => void;
  /** Links the built file to its place. Throws EEXIST if there is anything. */
  readonly create: () => void;
  /** Removes what was built and not moved. */
  readonly [Symbol.dispose]: () => void;
}

/** Returns a path to build `target` at; with `using`, it leaves nothing behind when the work on it fails. */
export const makeAside = (target: string, path = `${target}.${process.pid}`): Aside => ({
  path,
  replace: () => renameSync(path, target),
  create: () => linkSync(path, target),
  [Symbol.dispose]: () => {
    // Even a forced removal throws if a part of the path is a file.
    if (existsSync(path)) rmSync(path, { recursive: true, force: true });
  },
});

/** Creates a file for its owner alone, unless it exists. Several processes at once get the content of one of them. */
export const ensureFile = (file: string, makeText: () => string): void => {
  if (existsSync(file)) return;
  using aside = makeAside(file);
  try {
    writeFileSync(aside.path, makeText(), { mode: 0o600, flush: true });
    aside.create();
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(file)) throw error;
  }
};
