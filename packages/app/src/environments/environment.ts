/** What one environment has where a setting is not set. Contract §9. */
export interface Environment {
  /** Whether an embedded PostgreSQL stands in for an absent `DATABASE_URL`. */
  readonly embeddedDatabase: boolean;
  /** Whether serving on the embedded database brings the schema up to date first. */
  readonly migrateOnStart: boolean;
  /** Whether the embedded database gets demo data at the first start. */
  readonly demoData: boolean;
  /** Whether signing keys are made where `JWT_KEYS_FILE` is absent. */
  readonly makesKeys: boolean;
  /** The origins that browsers may call from, or null: somebody must say. */
  readonly corsOrigins: readonly string[] | null;
  /** The address to listen on. */
  readonly host: string;
  readonly logFormat: 'text' | 'json';
  /** Whether the documentation page keeps the access token in the browser's storage, so that a reload does not lose it. */
  readonly docsPersistLogin: boolean;
  /** Whether answers tell browsers to use HTTPS only (RFC 6797). */
  readonly hsts: boolean;
}
