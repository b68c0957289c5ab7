import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { StaticPage } from './static-page.ts';

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const STYLE_TYPE = 'text/css; charset=utf-8';
const IMMUTABLE = 'public, max-age=31536000, immutable';

const SWAGGER_UI = {
  'swagger-ui.css': STYLE_TYPE,
  'swagger-ui-bundle.js': SCRIPT_TYPE,
  'swagger-ui-standalone-preset.js': SCRIPT_TYPE,
  'favicon-32x32.png': 'image/png',
} as const;

const OWN = { 'docs.css': STYLE_TYPE, 'docs.js': SCRIPT_TYPE } as const;
// The path is the same from `src` and from `dist`.
const OWN_FOLDER = new URL('../../assets/', import.meta.url);

const { version } = createRequire(import.meta.url)('swagger-ui-dist/package.json') as { readonly version: string };

/** The files that the documentation page loads. */
interface Assets {
  /** The path of their folder, without a trailing slash. It contains a hash of the files, so that browsers can cache them. */
  readonly folder: `/api/${string}`;
  readonly pages: readonly StaticPage[];
}

/** Makes pages of this package's own assets and of those of Swagger UI. */
export const makeAssets = (): Assets => {
  const own = Object.entries(OWN).map(([name, type]) => ({
    name,
    type,
    bytes: readFileSync(new URL(name, OWN_FOLDER)),
  }));
  // The files of a published version of Swagger UI never change, so its version number stands for them.
  const fingerprint = hash('sha256', Buffer.concat([Buffer.from(version), ...own.map(({ bytes }) => bytes)]));
  const folder = `/api/docs/assets/${fingerprint.slice(0, 16)}` as const;
  const pageOf = (name: string, type: string, read: () => Promise<Buffer>): StaticPage => ({
    path: `${folder}/${name}`,
    type,
    cache: IMMUTABLE,
    isAsset: true,
    load: async () => ({ bytes: await read() }),
  });
  return {
    folder,
    pages: [
      ...Object.entries(SWAGGER_UI).map(([name, type]) =>
        pageOf(name, type, () => readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)))),
      ),
      ...own.map(({ name, type, bytes }) => pageOf(name, type, () => Promise.resolve(bytes))),
    ],
  };
};
