import { composeOperator } from '../packages/app/src/compose.ts';
import { readConfig } from '../packages/app/src/config/config.ts';
import { bringUpToDate } from '../packages/app/src/database/change-schema.ts';
import { storeDemoData } from '../packages/app/src/database/demo-data.ts';
import { openDatabase } from '../packages/app/src/database/open-database.ts';
import { type PrepareTemplate, useTestDatabase } from './database.ts';
import { makeFolder } from './folders.ts';
import { type ServiceProcess, serveInProcess, testSettings } from './service-process.ts';

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

type Settings = Readonly<Record<string, string>>;

/** For a `describe`: serves the demo data on a database of the tests. `variables` are for a command line on the same database. */
export const useDemoService = (settings: () => Settings | Promise<Settings> = () => ({})) => {
  const database = useTestDatabase(prepareDemo);
  const DATA_DIR = makeFolder();
  const variables = () => ({ DATABASE_URL: database.url, DATA_DIR });
  let service: ServiceProcess | undefined;
  before('start a service', async () => {
    service = await serveInProcess({ ...variables(), ...(await settings()) });
  });
  after('end the service', () => service?.end());
  return {
    variables,
    get url() {
      if (!service) throw new Error('the service runs only while tests run');
      return service.url;
    },
  };
};
