import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type Mocha from 'mocha';

/**
 * Lets modules be loaded several times, which Node does only once. Returns a function that sets the version in which modules
 * whose URL matches are imported from then on. The first import of a version loads them again. Node never frees a version, so a
 * process cannot load many hundreds (`maxTestRunnerReuse` of Stryker).
 */
export const useModuleVersions = (matches: (url: string) => boolean): ((version: number) => void) => {
  let current = 0;
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      return matches(resolved.url) ? { ...resolved, url: `${resolved.url}?version=${current}` } : resolved;
    },
  });
  return (version) => {
    current = version;
  };
};

/** Loads a file of tests in the current version. Mocha itself would load it only once. */
export const loadTests = async (mocha: Mocha, file: string): Promise<void> => {
  mocha.suite.emit('pre-require', globalThis, file, mocha);
  await import(pathToFileURL(file).href);
};
