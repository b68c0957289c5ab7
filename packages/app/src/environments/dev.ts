import type { Environment } from './environment.ts';

/** Everything by itself, for this machine only. */
export const dev: Environment = {
  embeddedDatabase: true,
  migrateOnStart: true,
  demoData: true,
  makesKeys: true,
  corsOrigins: ['http://localhost:3000', 'http://localhost:5173', 'http://localhost:8080'],
  host: '127.0.0.1',
  logFormat: 'text',
  docsPersistLogin: true,
  hsts: false,
};
