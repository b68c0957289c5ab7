import type { Environment } from './environment.ts';

/** Creates and changes nothing unless a setting asks for it. */
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
