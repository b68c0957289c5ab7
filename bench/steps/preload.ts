// Loads a module in the place of one of the service, by its name in the query (`preload.ts?names`): a process in which
// nothing has been replaced ends with 1.
import { registerHooks } from 'node:module';
import type { Replaced } from './replaced.ts';

const by = import.meta.resolve(`./without/${new URL(import.meta.url).search.slice(1)}.ts`);
const { replaces } = (await import(by)) as { readonly replaces: Replaced };
let isReplaced = false;

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    const isMeant = specifier === replaces.module || found.url === replaces.module;
    if (!isMeant || (replaces.importer !== undefined && replaces.importer !== context.parentURL)) return found;
    isReplaced = true;
    return next(by, context);
  },
});

process.on('exit', () => {
  if (isReplaced) return;
  console.error(`nothing was loaded in the place of ${replaces.module}`);
  process.exitCode = 1;
});
