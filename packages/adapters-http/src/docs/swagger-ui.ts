import { hash } from 'node:crypto';
import { koaSwagger } from 'koa2-swagger-ui';

/** The page with the hashes of its inline parts, for a policy that lets nothing else run. */
export interface SwaggerUi {
  readonly html: string;
  /** `Content-Security-Policy`. CSP level 3. */
  readonly policy: string;
}

const PREFIX = '/api/docs';

const inlineHashes = (html: string, element: 'script' | 'style'): string =>
  [...html.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g'))]
    .map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`)
    .join(' ');

const render = (assets: string, version: string, documentPath: string): string => {
  const ui = koaSwagger({
    title: 'Chapter Membership Service',
    routePrefix: PREFIX,
    swaggerCdnUrl: assets,
    swaggerVersion: version,
    favicon: `${assets}/${version}/favicon-32x32.png`,
    hideTopbar: true,
    // Without a validator nothing of the document is sent to anybody.
    swaggerOptions: { url: documentPath, validatorUrl: null },
  });
  const page = { path: PREFIX, type: '', body: '' };
  void ui(page as unknown as Parameters<typeof ui>[0], () => Promise.resolve());
  return page.body;
};

/**
 * Makes Swagger UI as one page that is the same for all callers, so that it can be cached: its inline parts are allowed by
 * their hashes. The package's page loads a font from another host and has an inline style; both are removed.
 */
export const makeSwaggerUi = (assets: string, version: string, documentPath: string): SwaggerUi => {
  const html = render(assets, version, documentPath)
    .replace(/^\s*<link href="https:\/\/fonts[^>]*>\n/m, '')
    .replace('swagger-ui.min.css', 'swagger-ui.css')
    .replace(/(<svg[^>]*) style="[^"]*"/, '$1 width="0" height="0"');
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${inlineHashes(html, 'script')}`,
    `style-src 'self' ${inlineHashes(html, 'style')}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
};
