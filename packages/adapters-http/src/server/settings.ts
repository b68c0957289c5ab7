import type { DocsSettings } from '../docs/settings.ts';

/** What the API can be told to do otherwise. Contract, sections 8 and 9. */
export interface HttpSettings {
  /** Exact origins whose pages may read answers (`https://app.example.org`). */
  readonly corsOrigins: readonly string[];
  /** How many proxies in front of the service add to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** Whether answers tell browsers to come back over HTTPS only. RFC 6797. */
  readonly hsts: boolean;
  /** What `/api/docs/` and `/api/openapi/` depend on, or false if they are switched off. */
  readonly docs: DocsSettings | false;
}
