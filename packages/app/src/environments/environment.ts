/** The defaults of one environment. Contract §9. */
export interface Environment {
  /** Whether an embedded PostgreSQL is used when `DATABASE_URL` is not set. */
  readonly embeddedDatabase: boolean;
  /** Whether a start on the embedded database migrates its schema first. */
  readonly migrateOnStart: boolean;
  /** Whether the embedded database gets demo data at the first start. */
  readonly demoData: boolean;
  /** Whether signing keys are generated when `JWT_KEYS_FILE` is not set. */
  readonly makesKeys: boolean;
  /** The origins that browsers may call from. Null: `CORS_ORIGINS` is required. */
  readonly corsOrigins: readonly string[] | null;
  /** The address to listen on. */
  readonly host: string;
  readonly logFormat: 'text' | 'json';
  /** Whether the documentation page keeps the access token in the browser's storage, so that it survives a reload. */
  readonly docsPersistLogin: boolean;
  /** Whether responses tell browsers to use HTTPS only (RFC 6797). */
  readonly hsts: boolean;
}
