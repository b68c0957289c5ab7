import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Which module another one is loaded in the place of. */
export interface Replaced {
  /** The address of a file, or the specifier of a package. */
  readonly module: string;
  /** The address of the only module that gets the other; all do where it is undefined. */
  readonly importer: string | undefined;
}

/** The address of a file by its path in the repository. */
export const addressOf = (path: string): string => pathToFileURL(join(import.meta.dirname, '../..', path)).href;

/** A module of the service by its path in the repository. */
export const moduleAt = (path: string): Replaced => ({ module: addressOf(path), importer: undefined });

/** A package by its specifier, as the module at a path imports it. */
export const packageIn = (path: string, specifier: string): Replaced => ({
  module: specifier,
  importer: addressOf(path),
});
