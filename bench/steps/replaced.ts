import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Which module another one is loaded in the place of. */
export interface Replaced {
  /** The address of a file, or the name of a package. */
  readonly module: string;
  /** The address of the only module that gets the other; all do where it is undefined. */
  readonly importer: string | undefined;
}

const addressOf = (path: string): string => pathToFileURL(join(import.meta.dirname, '../..', path)).href;

/** A module by its path in the repository, or the name of a package, and the path of the module whose import of it is meant. */
export const moduleAt = (path: string, importer?: string): Replaced => ({
  module: path.includes('/') ? addressOf(path) : path,
  importer: importer === undefined ? undefined : addressOf(importer),
});
