import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { makeDocument } from '../openapi/document.ts';
import type { Route } from '../routes/route.ts';
import type { Page } from './page.ts';

const DOCUMENT = '/api/openapi/';
/** Where the documentation is read in a browser. */
export const DOCS = '/api/docs/';

const CACHED_SHORTLY = 'public, max-age=300';
// Their paths have the version in them.
const IMMUTABLE = 'public, max-age=31536000, immutable';

const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const { version } = createRequire(import.meta.url)('swagger-ui-dist/package.json') as { readonly version: string };

const assetPages = (): readonly Page[] =>
  Object.entries(ASSETS).map(([name, type]) => ({
    path: `${DOCS}assets/${version}/${name}` as const,
    type,
    cache: IMMUTABLE,
    load: async () => ({ bytes: await readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))) }),
  }));

/** The OpenAPI document of the routes, and Swagger UI to read it in a browser. Contract, section 8. */
export const makePages = (routes: readonly Route[]): readonly Page[] => [
  {
    path: DOCUMENT,
    type: 'application/json',
    cache: CACHED_SHORTLY,
    load: () => Promise.resolve({ bytes: Buffer.from(JSON.stringify(makeDocument(routes))) }),
  },
  {
    path: DOCS,
    type: 'text/html; charset=utf-8',
    cache: CACHED_SHORTLY,
    load: async () => {
      // Loaded when it is wanted: its template engine takes longer to load than the whole API.
      const { makeSwaggerUi } = await import('./swagger-ui.ts');
      const { html, policy } = makeSwaggerUi(`${DOCS}assets`, version, DOCUMENT);
      return {
        bytes: Buffer.from(html),
        headers: { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' },
      };
    },
  },
  ...assetPages(),
];
