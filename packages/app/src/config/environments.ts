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
  /** Whether clients run on this machine, so that the address to listen on leads them to the service. */
  readonly clientsAreLocal: boolean;
  readonly logFormat: 'text' | 'json';
  /** Whether the documentation page keeps the access token in the browser's storage, so that it survives a reload. */
  readonly docsPersistLogin: boolean;
  /** Seconds in which a stopping instance still accepts connections while `/readyz` returns 503. */
  readonly shutdownDelay: number;
  /** Whether responses tell browsers to use HTTPS only (RFC 6797). */
  readonly hsts: boolean;
}

/** The defaults of each environment, by the value of `CHAPTER_ENV`. */
export const environments = {
  // Needs no settings and serves this machine only.
  DEV: {
    embeddedDatabase: true,
    migrateOnStart: true,
    demoData: true,
    makesKeys: true,
    corsOrigins: ['localhost', '127.0.0.1'].flatMap((host) =>
      [3000, 5173, 8080].map((port) => `http://${host}:${port}`),
    ),
    host: '127.0.0.1',
    clientsAreLocal: true,
    logFormat: 'text',
    docsPersistLogin: true,
    shutdownDelay: 0,
    hsts: false,
  },
  // Creates and changes nothing unless a setting asks for it.
  PROD: {
    embeddedDatabase: false,
    migrateOnStart: false,
    demoData: false,
    makesKeys: false,
    corsOrigins: null,
    host: '0.0.0.0',
    clientsAreLocal: false,
    logFormat: 'json',
    docsPersistLogin: false,
    // Balancers usually check every few seconds.
    shutdownDelay: 5,
    hsts: true,
  },
} satisfies Record<string, Environment>;

/** The values of `CHAPTER_ENV`. */
export const ENVIRONMENTS = ['DEV', 'PROD'] as const;
