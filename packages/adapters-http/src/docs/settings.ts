import type { DemoAccounts } from '../openapi/document.ts';

/** What the documentation depends on. */
export interface DocsSettings {
  /** Returns the URL at which clients reach the service. Called by requests only: before, the port may be unknown. */
  readonly publicUrl: () => string;
  /** Accounts that the documentation names with their password, or null if there are none. */
  readonly demo: DemoAccounts | null;
  /** Whether the page keeps the access token in the browser's storage, so that a reload does not lose it. */
  readonly persistsLogin: boolean;
}
