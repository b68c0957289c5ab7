/** The defaults of each environment, by the value of `CHAPTER_ENV`. Contract §9. */
export const environments = {
  // Needs no settings and serves this machine only.
  DEV: {
    /** Whether an embedded PostgreSQL is used when `DATABASE_URL` is not set. */
    embeddedDatabase: true,
    /** Whether a start on the embedded database migrates its schema first. */
    migrateOnStart: true,
    /** Whether the embedded database gets demo data at the first start. */
    demoData: true,
    /** Whether signing keys are generated when `JWT_KEYS_FILE` is not set. */
    makesKeys: true,
    /** The origins that browsers may call from. Null: `CORS_ORIGINS` is required. */
    corsOrigins: ['localhost', '127.0.0.1'].flatMap((host) =>
      [3000, 5173, 8080].map((port) => `http://${host}:${port}`),
    ),
    /** The address to listen on. */
    host: '127.0.0.1',
    /** Whether clients run on this machine, so that the address to listen on leads them to the service. */
    clientsAreLocal: true,
    logFormat: 'text',
    /** Whether the documentation page keeps the access token in the browser's storage, so that it survives a reload. */
    docsPersistLogin: true,
    /** Seconds in which a stopping instance still accepts connections while `/readyz` returns 503. */
    shutdownDelay: 0,
    /** Whether responses tell browsers to use HTTPS only (RFC 6797). */
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
} as const;

/** The values of `CHAPTER_ENV`. */
export const ENVIRONMENTS = ['DEV', 'PROD'] as const;
