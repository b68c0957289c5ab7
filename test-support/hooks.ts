import type { RootHookObject } from 'mocha';
import { closeTestDatabases } from './database.ts';

/** Around the whole run, not around each file. */
export const mochaHooks: RootHookObject = {
  afterAll: closeTestDatabases,
};
