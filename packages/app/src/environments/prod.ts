import type { Environment } from './environment.ts';

/** Nothing that somebody did not ask for. */
export const prod: Environment = {
  embeddedDatabase: false,
  migrateOnStart: false,
  demoData: false,
  makesKeys: false,
  corsOrigins: null,
  host: '0.0.0.0',
  logFormat: 'json',
  docsPersistLogin: false,
  hsts: true,
};
