import { resolve } from 'node:path';
import { LIFETIME_SECONDS, MAX_EXPORTS, passwordRule } from '@chapter/domain/api';
import { DEFAULT_SCRYPT, hashProcessors } from '../passwords/scrypt-hash.ts';
import { keyFileFault, MAX_ACCESS_TTL_SECONDS } from '../tokens/key-file.ts';
import {
  connectionCapacity,
  connectionLimitFault,
  defaultMaxConnections,
  HEALTH_CONNECTIONS,
  HIGHEST_MAX_CONNECTIONS,
  memoryOfProcess,
  readOpenFiles,
} from './connection-limit.ts';
import * as parse from './parsers.ts';
import { ConfigError, makeSettingsReader, type Variables } from './reader.ts';

/** The defaults of each environment, by the value of `CHAPTER_ENV`. Contract §9. */
const environments = {
  // Needs no settings and serves this machine only.
  DEV: {
    embeddedDatabase: true,
    /** Whether a start on the embedded database migrates its schema first. */
    migrateOnStart: true,
    demoData: true,
    /** Whether signing keys are generated when `JWT_KEYS_FILE` is not set. */
    makesKeys: true,
    /** The origins that browsers may call from. Null: `CORS_ORIGINS` is required. */
    corsOrigins: ['localhost', '127.0.0.1'].flatMap((host) =>
      [3000, 5173, 8080].map((port) => `http://${host}:${port}`),
    ),
    host: '127.0.0.1',
    /** Whether clients run on this machine, so that the address to listen on leads them to the service. */
    clientsAreLocal: true,
    logFormat: 'text',
    /** Whether the documentation page keeps the access token in the browser's storage, so that it survives a reload. */
    docsPersistLogin: true,
    /** Seconds in which a stopping instance still accepts connections while `/readyz` returns 503. Contract §9. */
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
} as const;

const ENVIRONMENTS = ['DEV', 'PROD'] as const;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** What the settings are used for. Settings that only serving needs are not required for other commands. */
export type Purpose = 'serve' | 'command';

const keysFileWithKeys: parse.Parse<string> = (file) => {
  const why = keyFileFault(file);
  return why === undefined ? { value: file } : { fault: `names a file without valid signing keys (${file}): ${why}` };
};

/**
 * Reads the configuration from environment variables, with the defaults in place of invalid settings. `openFiles` is
 * the process's limit of open files; `memoryOf` returns the memory in bytes that each of some workers can use.
 */
export const examineSettings = (
  variables: Variables,
  purpose: Purpose = 'serve',
  openFiles: number = purpose === 'serve' ? readOpenFiles() : Number.POSITIVE_INFINITY,
  memoryOf: (workers: number) => number = purpose === 'serve' ? memoryOfProcess : () => Number.POSITIVE_INFINITY,
) => {
  const { get, secret, fault, faults, missing } = makeSettingsReader(variables);
  const name = get('CHAPTER_ENV', parse.oneOf(ENVIRONMENTS), 'DEV');
  const environment = environments[name];
  const required = (setting: string): void => missing(setting, `is required when CHAPTER_ENV is ${name}`);

  const url = secret('DATABASE_URL', parse.postgresUrl, null);
  if (url === null && !environment.embeddedDatabase) required('DATABASE_URL');
  const ownerUrl = secret('OWNER_DATABASE_URL', parse.postgresUrl, null);
  if (url === null && ownerUrl !== null && environment.embeddedDatabase) {
    fault('OWNER_DATABASE_URL', 'also needs DATABASE_URL, the URL of the role that serves requests');
  }
  const keysFile = get('JWT_KEYS_FILE', purpose === 'serve' ? keysFileWithKeys : parse.path, null);
  if (keysFile === null && !environment.makesKeys && purpose === 'serve') required('JWT_KEYS_FILE');
  const corsOrigins = get('CORS_ORIGINS', parse.listOf(parse.origin), environment.corsOrigins);
  if (corsOrigins === null && purpose === 'serve') required('CORS_ORIGINS');

  const port = get('PORT', parse.integer(0, 65_535), 3000);
  const opsPort = get('OPS_PORT', parse.orOff(parse.integer(0, 65_535)), 9464);
  if (port === opsPort && port !== 0) fault('OPS_PORT', `must differ from PORT, but both are ${port}`);

  const poolSize = get('DATABASE_POOL_SIZE', parse.integer(1, 1000), 10);
  const replicaUrls = secret('DATABASE_REPLICA_URLS', parse.listOf(parse.postgresUrl), []);
  const databaseConnections = poolSize * (1 + replicaUrls.length) + HEALTH_CONNECTIONS + MAX_EXPORTS;
  const capacity = connectionCapacity(openFiles, databaseConnections);
  const workers = get('WORKERS', parse.integer(1, 256), 1);
  const fitting = defaultMaxConnections(capacity, memoryOf(workers));
  const maxConnections = get('MAX_CONNECTIONS', parse.integer(1, HIGHEST_MAX_CONNECTIONS), fitting);
  const limitFault = connectionLimitFault(maxConnections, capacity, openFiles);
  if (limitFault !== undefined) fault('MAX_CONNECTIONS', limitFault);

  const requestDeadlineMs = 1000 * get('REQUEST_DEADLINE', parse.integer(3, 25), 5);
  const hashing = hashProcessors();
  const publicIp = get('PUBLIC_IP', parse.orOff(parse.address), undefined);

  // OpenTelemetry reads these itself, with its other settings.
  const traceEndpoints = [
    get('OTEL_EXPORTER_OTLP_ENDPOINT', parse.pageUrl, null),
    get('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', parse.pageUrl, null),
  ];
  const isTracingOff =
    get('OTEL_SDK_DISABLED', parse.visibleAscii, '').toLowerCase() === 'true' ||
    get('OTEL_TRACES_EXPORTER', parse.visibleAscii, '') === 'none';

  const config = {
    database: {
      /** Null: the embedded PostgreSQL in `dataDir`. */
      url,
      /** The URL of the same database for the role that owns the schema. Null: the role of `url` owns it. */
      ownerUrl,
      poolSize,
      /** Servers that lists of users and statistics are read from. Commands are too few to need them. */
      replicaUrls: purpose === 'serve' ? replicaUrls : [],
      /** How long the database may take for a request in milliseconds. Absent for commands. */
      ...(purpose === 'serve' && { requestDeadlineMs }),
      migrateOnStart: get('MIGRATE_ON_START', parse.trueOrFalse, url === null && environment.migrateOnStart),
      demoData: url === null && environment.demoData,
    },
    dataDir: resolve(get('DATA_DIR', parse.path, '.chapter')),
    /** `HttpSettings` of `adapters-http` describes most of them. */
    http: {
      host: get('HOST', parse.host, environment.host),
      /** 0: any free port. */
      port,
      corsOrigins: corsOrigins ?? [],
      docs: get('DOCS', parse.oneOf(['on', 'off']), 'on') === 'on',
      docsPersistLogin: environment.docsPersistLogin,
      /** The URL at which clients reach the service, without a trailing slash. Null: the address where it listens. */
      publicUrl: get('PUBLIC_URL', parse.baseUrl, null),
      /** The URL of the page on which users set a password by a link. Null: the page of the service. */
      passwordPageUrl: get('PASSWORD_PAGE_URL', parse.pageUrl, null),
      clientsAreLocal: environment.clientsAreLocal,
      hsts: environment.hsts,
      hstsIncludesSubdomains: get('HSTS_INCLUDE_SUBDOMAINS', parse.trueOrFalse, false),
      trustedProxies: get('TRUSTED_PROXIES', parse.integer(0, 20), 0),
      requestDeadlineMs,
      changesPerHour: get('CHANGES_PER_HOUR', parse.integer(0, 1_000_000_000), 10_000),
      /** Limit of open connections per process; further connections are closed. */
      maxConnections,
    },
    /** The address of the internal port. Null: no internal port. */
    ops: opsPort === null ? null : { host: get('OPS_HOST', parse.host, '127.0.0.1'), port: opsPort },
    tokens: {
      /** Null: the service generates its keys once and stores them in `dataDir`. */
      keysFile: keysFile === null ? null : resolve(keysFile),
      issuer: get('JWT_ISSUER', parse.visibleAscii, 'chapter-membership-service'),
      audience: get('JWT_AUDIENCE', parse.visibleAscii, 'chapter-membership-service'),
      /** Seconds. */
      accessTtl: get('ACCESS_TOKEN_TTL', parse.integer(1, MAX_ACCESS_TTL_SECONDS), LIFETIME_SECONDS.accessToken),
      /** Seconds. */
      refreshTtl: get('REFRESH_TOKEN_TTL', parse.integer(1, 366 * 86_400), LIFETIME_SECONDS.refreshToken),
      /** Maximum duration of a session in seconds, from login. */
      sessionTtl: get('SESSION_TTL', parse.integer(1, 3660 * 86_400), LIFETIME_SECONDS.session),
    },
    scrypt: {
      logN: get('SCRYPT_LOG_N', parse.integer(1, 20), DEFAULT_SCRYPT.logN),
      r: DEFAULT_SCRYPT.r,
      p: get('SCRYPT_P', parse.integer(1, 32), DEFAULT_SCRYPT.p),
    },
    /** Number of password hashes that a process computes at once. */
    hashProcessors: get('HASH_PROCESSORS', parse.integer(1, hashing.max), hashing.byDefault),
    /** Whether requests are traced: OpenTelemetry's settings name an endpoint for traces, and do not turn them off. */
    tracing: purpose === 'serve' && !isTracingOff && traceEndpoints.some((endpoint) => endpoint !== null),
    /** Minimum length of a new password in code points. */
    passwordMinLength: get('PASSWORD_MIN_LENGTH', parse.integer(passwordRule.min, passwordRule.max), passwordRule.min),
    /** `known`: the public address that the operator has set. `lookUp`: whether to look it up if it is not set. */
    publicAddress: { known: publicIp ?? null, lookUp: publicIp === undefined },
    log: { level: get('LOG_LEVEL', parse.oneOf(LOG_LEVELS), 'info'), format: environment.logFormat },
    workers,
    shutdownDelay: get('SHUTDOWN_DELAY', parse.integer(0, 300), environment.shutdownDelay),
  };
  return { config, faults };
};

/** The settings of the service, with the defaults of the environment. Contract §9. */
export type Config = ReturnType<typeof examineSettings>['config'] & {
  readonly database: {
    /** A number that the processes of this instance share; absent if it has one process. */
    readonly instanceKey?: number;
  };
};

/** Does the same as {@link examineSettings}. @throws ConfigError with all invalid settings, if there are any. */
export const readConfig = (...given: Parameters<typeof examineSettings>): Config => {
  const { config, faults } = examineSettings(...given);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
};
