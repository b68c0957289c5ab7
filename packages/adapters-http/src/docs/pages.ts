import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { passwordRule } from '@chapter/domain/api';
import { type DemoAccounts, makeDocument } from '../openapi/document.ts';
import type { Route } from '../routes/route.ts';

/** The settings of the documentation. */
export interface DocsSettings {
  /** Returns the URL at which clients reach the service. Called only by requests, when the port is known. */
  readonly publicUrl: () => string;
  /** Returns the demo accounts that can log in, which the documentation shows with their password; null for none. */
  readonly demo: () => Promise<DemoAccounts | null>;
  /** Whether the page stores the access token in the browser, so that it survives a reload. */
  readonly persistsLogin: boolean;
}

/** A page that is the same for all callers. */
export interface StaticPage {
  readonly path: `/${string}`;
  readonly type: string;
  readonly cache: string;
  /** Whether the content is known before the service listens, so that it can be compressed before it is requested. */
  readonly isAsset?: true;
  /** Loads the content. Called until it succeeds. */
  readonly load: () => Promise<{ readonly bytes: Buffer; readonly headers?: Readonly<Record<string, string>> }>;
}

const PAGE_TYPES = {
  html: 'text/html; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
  style: 'text/css; charset=utf-8',
} as const;

/** Returns headers that allow a page only its own scripts and styles. Content Security Policy Level 3. */
const headersOfPage = (scripts: string, images: string) => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src ${scripts}`,
    "style-src 'self'",
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
});

const IMMUTABLE = 'public, max-age=31536000, immutable';

const SWAGGER_UI = {
  'swagger-ui.css': PAGE_TYPES.style,
  'swagger-ui-bundle.js': PAGE_TYPES.script,
  'swagger-ui-standalone-preset.js': PAGE_TYPES.script,
  'favicon-32x32.png': 'image/png',
} as const;

const OWN = { 'docs.css': PAGE_TYPES.style, 'docs.js': PAGE_TYPES.script } as const;
/** The folder of this package's own assets. Its path is the same from `src` and from `dist`. */
const OWN_FOLDER = new URL('../../assets/', import.meta.url);

const { version } = createRequire(import.meta.url)('swagger-ui-dist/package.json') as { readonly version: string };

const makeAssets = () => {
  const own = Object.entries(OWN).map(([name, type]) => ({
    name,
    type,
    bytes: readFileSync(new URL(name, OWN_FOLDER)),
  }));
  // The files of a published version of Swagger UI never change, so its version number stands for them.
  const fingerprint = hash('sha256', Buffer.concat([Buffer.from(version), ...own.map(({ bytes }) => bytes)]));
  // Contains a hash of the files, so that browsers can cache them.
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

const DOCUMENT = '/api/openapi/';
/** The path of the documentation page. */
export const DOCS = '/api/docs/';

const FIVE_MINUTES = 'public, max-age=300';

/** Returns the OpenAPI document of the routes, the documentation page (Swagger UI) and its assets (contract §8). */
export const makePages = (routes: readonly Route[], settings: DocsSettings): readonly StaticPage[] => {
  const { publicUrl, demo, persistsLogin } = settings;
  const assets = makeAssets();
  return [
    {
      path: DOCUMENT,
      type: 'application/json',
      cache: FIVE_MINUTES,
      load: async () => {
        const document = makeDocument(routes, { serverUrl: publicUrl(), demo: await demo() });
        return { bytes: Buffer.from(JSON.stringify(document)) };
      },
    },
    {
      path: DOCS,
      type: PAGE_TYPES.html,
      cache: FIVE_MINUTES,
      load: async () => {
        // Imported on demand: its template engine takes longer to load than the whole API.
        const { makeSwaggerUi } = await import('./swagger-ui.ts');
        const { html, scriptHashes } = makeSwaggerUi(assets.folder, DOCUMENT, persistsLogin);
        return { bytes: Buffer.from(html), headers: headersOfPage(`'self' ${scriptHashes}`, "'self' data:") };
      },
    },
    ...assets.pages,
  ];
};

/** The path of the page on which a user sets a password. */
export const PASSWORD_PAGE = '/password/';

/**
 * Returns the page on which a user sets a password by a link, its script and its style (contract §11). The page refers
 * to them by relative addresses, because a proxy may serve it below a path. Browsers check for new versions each time,
 * so that a page never runs with the script of an earlier release.
 */
export const makePasswordPages = (passwordMinLength: number): readonly StaticPage[] => {
  const limits = { '{min}': passwordMinLength, '{max}': passwordRule.max };
  const pageOf = (name: string, file: string, type: string, headers = {}): StaticPage => ({
    path: `${PASSWORD_PAGE}${name}`,
    type,
    cache: 'no-cache',
    load: async () => {
      const text = await readFile(new URL(file, OWN_FOLDER), 'utf8');
      const filled = Object.entries(limits).reduce((all, [mark, limit]) => all.replaceAll(mark, String(limit)), text);
      return { bytes: Buffer.from(filled), headers };
    },
  });
  return [
    pageOf('', 'password.html', PAGE_TYPES.html, headersOfPage("'self'", 'data:')),
    pageOf('script', 'password.js', PAGE_TYPES.script),
    pageOf('style', 'chapter.css', PAGE_TYPES.style),
  ];
};
