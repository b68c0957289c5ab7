import { makeSequentialIds, makeSettableClock } from '@chapter/domain/testing';
import { connectPostgres } from '../packages/adapters-postgres/src/index.ts';
import { asRole, type PrepareTemplate } from './database.ts';

/** Returns the URL of a database for the role of the test run that {@link prepareMigrated} grants the rights to serve. */
export const servingUrlOf = (url: string): Promise<string> => asRole(url, 'serving');

/**
 * Migrates an empty database, and grants the serving role its rights. Outside of the package that `npm run test:statements`
 * loads again for each change, so that it makes the template once; no change concerns the schema.
 */
export const prepareMigrated: PrepareTemplate = async (url) => {
  const database = connectPostgres({ url, clock: makeSettableClock(), ids: makeSequentialIds() });
  await database.migrations.up();
  await database.migrations.grantTo(await servingUrlOf(url));
  await database.close();
};
