import { hash } from 'node:crypto';
import { koaSwagger } from 'koa2-swagger-ui';

const PREFIX = '/api/docs';
const ROOT = '<div id="swagger-ui"></div>';

const render = (assets: string, document: string, persistsLogin: boolean): string => {
  const ui = koaSwagger({
    routePrefix: PREFIX,
    swaggerCdnUrl: assets.slice(0, assets.lastIndexOf('/')),
    swaggerVersion: assets.slice(assets.lastIndexOf('/') + 1),
    hideTopbar: true,
    swaggerOptions: {
      url: document,
      // Disables the validator, which would send the document to another host.
      validatorUrl: null,
      tryItOutEnabled: true,
      deepLinking: true,
      filter: true,
      displayRequestDuration: true,
      persistAuthorization: persistsLogin,
      // The name of a global variable that docs.js sets.
      plugins: ['ChapterDocsPlugin'],
    },
  });
  type Context = Parameters<typeof ui>[0];
  const page: Pick<Context, 'path' | 'type' | 'body'> = { path: PREFIX, type: '', body: '' };
  void ui(page as Context, () => Promise.resolve());
  return String(page.body);
};

/**
 * Makes Swagger UI as one page that is the same for all callers. Replaces everything above the root element, because
 * the package's head has no viewport, loads fonts from another host and has inline styles. `assets` is the path of the
 * folder of the assets, without a trailing slash, and `document` that of the OpenAPI document.
 */
export const makeSwaggerUi = (assets: string, document: string, persistsLogin: boolean) => {
  const [above, below, ...more] = render(assets, document, persistsLogin).split(ROOT);
  if (above === undefined || below === undefined || more.length > 0)
    throw new Error('unexpected page from koa2-swagger-ui');
  const html = `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Chapter Membership Service</title>
  <link rel="icon" type="image/png" href="${assets}/favicon-32x32.png">
  <link rel="stylesheet" href="${assets}/swagger-ui.css">
  <link rel="stylesheet" href="${assets}/docs.css">
  <script type="module" src="${assets}/docs.js"></script>
</head>
<body>
${ROOT}${below}`;
  const scriptHashes = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)]
    .map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`)
    .join(' ');
  return { html, scriptHashes };
};
