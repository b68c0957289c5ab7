import cors from '@koa/cors';

/** What pages of other origins may send beyond what every page may. */
const SENT = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id'];

/** What they may read. Contract, section 11. */
const SHOWN = ['ETag', 'Location', 'Retry-After', 'X-Request-Id'];

/**
 * Makes the layer that lets pages of exactly these origins read answers: no wildcard, no `null`, no suffixes, and no
 * credentials, for tokens are sent by header. Contract, section 8.
 */
export const makeCors = (origins: readonly string[]) => {
  const allowed = new Set(origins);
  return cors({
    // The empty string is what the library takes for "not this one".
    origin: ({ request }) => (allowed.has(request.get('Origin')) ? request.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: SENT,
    exposeHeaders: SHOWN.join(', '),
    maxAge: 600,
    keepHeadersOnError: false,
  });
};
