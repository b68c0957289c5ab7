import type { DocsSettings } from '../docs/settings.ts';

/** The settings of the API (contract §8, contract §9). */
export interface HttpSettings {
  /** The exact origins whose pages may read responses (`https://app.example.org`). */
  readonly corsOrigins: readonly string[];
  /** The number of trusted proxies in front of the service. Each adds to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** Whether responses have `Strict-Transport-Security`. RFC 6797. */
  readonly hsts: boolean;
  /** The settings of `/api/docs/` and `/api/openapi/`, or false if they are disabled. */
  readonly docs: DocsSettings | false;
}
