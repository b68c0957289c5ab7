import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Page } from './page.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const IMMUTABLE = 'public, max-age=31536000, immutable';

const SWAGGER_UI = {
  'swagger-ui.css': STYLE,
  'swagger-ui-bundle.js': SCRIPT,
  'swagger-ui-standalone-preset.js': SCRIPT,
  'favicon-32x32.png': 'image/png',
} as const;

// As far below the package's folder in `dist` as in `src`.
const OWN_FOLDER = new URL('../../assets/', import.meta.url);
const ownFiles = (['docs.css', 'docs.js'] as const).map((name) => ({
  name,
  type: name.endsWith('.js') ? SCRIPT : STYLE,
  bytes: readFileSync(new URL(name, OWN_FOLDER)),
}));

const { version } = createRequire(import.meta.url)('swagger-ui-dist/package.json') as { readonly version: string };

/** Changes with the content of any asset: a published version of a package has one content. */
const fingerprint = hash('sha256', Buffer.concat([Buffer.from(version), ...ownFiles.map(({ bytes }) => bytes)]));

/** The folder of the assets. Its name changes with their content, so that browsers keep them without asking again. */
export const ASSETS_FOLDER = `/api/docs/assets/${fingerprint.slice(0, 16)}` as const;

/** The files that the documentation page loads. */
export const assetPages: readonly Page[] = [
  ...Object.entries(SWAGGER_UI).map(([name, type]) => ({
    path: `${ASSETS_FOLDER}/${name}` as const,
    type,
    cache: IMMUTABLE,
    load: async () => ({ bytes: await readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))) }),
  })),
  ...ownFiles.map(({ name, type, bytes }) => ({
    path: `${ASSETS_FOLDER}/${name}` as const,
    type,
    cache: IMMUTABLE,
    load: () => Promise.resolve({ bytes }),
  })),
];
