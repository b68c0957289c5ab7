import { composeOperator } from '../packages/app/src/compose.ts';
import { readConfig } from '../packages/app/src/config/config.ts';
import { bringUpToDate } from '../packages/app/src/database/change-schema.ts';
import { storeDemoData } from '../packages/app/src/database/demo-data.ts';
import { openDatabase } from '../packages/app/src/database/open-database.ts';
import type { PrepareTemplate } from './database.ts';
import { testSettings } from './service-process.ts';

/**
 * Migrates an empty database and stores the demo data. The service does both only with its embedded database. Password hashes
 * are as cheap as `testSettings` makes them.
 */
export const prepareDemo: PrepareTemplate = async (url) => {
  const config = readConfig({ ...testSettings, DATABASE_URL: url, MIGRATE_ON_START: 'true' }, 'command');
  const database = await openDatabase(config);
  try {
    await bringUpToDate(database, config);
    await storeDemoData(composeOperator(config, database));
  } finally {
    await database.close();
  }
};
