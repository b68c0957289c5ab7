import type { DemoAccounts } from '../openapi/document.ts';

/** The settings of the documentation. */
export interface DocsSettings {
  /** Returns the URL at which clients reach the service. Only requests call it, because the port may be unknown before. */
  readonly publicUrl: () => string;
  /** The demo accounts that the documentation shows with their password, or null. */
  readonly demo: DemoAccounts | null;
  /** Whether the page stores the access token in the browser, so that it survives a reload. */
  readonly persistsLogin: boolean;
}
