import { hash } from 'node:crypto';
import { koaSwagger } from 'koa2-swagger-ui';

/** The options of the page. */
export interface SwaggerUiOptions {
  /** The path of the folder of the assets, without a trailing slash. */
  readonly assets: string;
  /** The path of the OpenAPI document. */
  readonly document: string;
  readonly persistsLogin: boolean;
}

/** The page, and a `Content-Security-Policy` (level 3) that allows only its own scripts and styles. */
interface SwaggerUi {
  readonly html: string;
  readonly policy: string;
}

const PREFIX = '/api/docs';
const TITLE = 'Chapter Membership Service';
const ROOT = '<div id="swagger-ui"></div>';

const render = ({ assets, document, persistsLogin }: SwaggerUiOptions): string => {
  const ui = koaSwagger({
    title: TITLE,
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
  // The members that the middleware uses.
  const page: Pick<Context, 'path' | 'type' | 'body'> = { path: PREFIX, type: '', body: '' };
  void ui(page as Context, () => Promise.resolve());
  return String(page.body);
};

/**
 * Replaces everything above the root element, because the package's head has no viewport, loads fonts from another host
 * and has inline styles.
 */
const withOwnHead = (html: string, assets: string): string => {
  const [above, below, ...more] = html.split(ROOT);
  if (above === undefined || below === undefined || more.length > 0)
    throw new Error('unexpected page from koa2-swagger-ui');
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${TITLE}</title>
  <link rel="icon" type="image/png" href="${assets}/favicon-32x32.png">
  <link rel="stylesheet" href="${assets}/swagger-ui.css">
  <link rel="stylesheet" href="${assets}/docs.css">
  <script type="module" src="${assets}/docs.js"></script>
</head>
<body>
${ROOT}${below}`;
};

const inlineScriptHashes = (html: string): string =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)]
    .map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`)
    .join(' ');

/** Makes Swagger UI as one page that is the same for all callers. */
export const makeSwaggerUi = (options: SwaggerUiOptions): SwaggerUi => {
  const html = withOwnHead(render(options), options.assets);
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${inlineScriptHashes(html)}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
};
