import { createRequire } from 'node:module';

/** The version of the product. All packages have the same. */
export const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string };
