import type { DocsSettings } from '../docs/pages.ts';

/** The settings of the API (contract §8, contract §9). */
export interface HttpSettings {
  /** The exact origins whose pages may read responses (`https://app.example.org`). */
  readonly corsOrigins: readonly string[];
  /** The number of trusted proxies in front of the service. Each adds to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** How many changes a caller may make in an hour, per process; 0 for any number. */
  readonly changesPerHour: number;
  /** How many milliseconds a request may take, apart from its body and an export. */
  readonly requestDeadlineMs: number;
  /** Whether responses have `Strict-Transport-Security`. RFC 6797. */
  readonly hsts: boolean;
  /** Whether that header has `includeSubDomains`, which commits all hosts below the service's to HTTPS. */
  readonly hstsIncludesSubdomains: boolean;
  /** The minimum length of a new password in code points, which the page that sets a password shows. */
  readonly passwordMinLength: number;
  /** The settings of `/api/docs/` and `/api/openapi/`, or false if they are disabled. */
  readonly docs: DocsSettings | false;
}
