import { makeDocument } from '../openapi/document.ts';
import type { Route } from '../routes/route.ts';
import { makeAssets } from './assets.ts';
import type { DocsSettings } from './settings.ts';
import type { StaticPage } from './static-page.ts';

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
      isAsset: false,
      load: () => {
        const document = makeDocument(routes, { serverUrl: publicUrl(), demo });
        return Promise.resolve({ bytes: Buffer.from(JSON.stringify(document)) });
      },
    },
    {
      path: DOCS,
      type: 'text/html; charset=utf-8',
      cache: FIVE_MINUTES,
      isAsset: false,
      load: async () => {
        // Imported on demand: its template engine takes longer to load than the whole API.
        const { makeSwaggerUi } = await import('./swagger-ui.ts');
        const { html, policy } = makeSwaggerUi({ assets: assets.folder, document: DOCUMENT, persistsLogin });
        return {
          bytes: Buffer.from(html),
          headers: { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' },
        };
      },
    },
    ...assets.pages,
  ];
};
