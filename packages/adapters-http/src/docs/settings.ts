import type { DemoAccounts } from '../openapi/document.ts';

/** The settings of the documentation. */
export interface DocsSettings {
  /** Returns the URL at which clients reach the service. Called only by requests, when the port is known. */
  readonly publicUrl: () => string;
  /** The demo accounts that can log in, which the documentation shows with their password; null for none. */
  readonly demo: DemoAccounts | null;
  /** Whether the page stores the access token in the browser, so that it survives a reload. */
  readonly persistsLogin: boolean;
}
