import { type PrepareTemplate, useTestDatabase } from '../../../../test-support/database.ts';
import { makeChapter } from './call.ts';

/** Prepares a database with the schema. */
export const migrated: PrepareTemplate = async (url) => {
  await makeChapter(() => ({ DATABASE_URL: url })).json('migrate');
};

/** Prepares a database with North and South, the Leader and superuser `ada` of North, and the inactive user `gus`. */
export const withMembers: PrepareTemplate = async (url) => {
  const { json } = makeChapter(() => ({ DATABASE_URL: url }));
  await json('migrate');
  for (const [args, input] of [
    ['divisions create --name South'],
    ['divisions create --name North'],
    [
      'users create --division North --username ada --group Leader --superuser --password-stdin',
      'a long enough secret',
    ],
    ['users create --division North --username gus --password-stdin', 'a long enough secret'],
    ['users set --username gus --staff true --group Guest'],
    ['users set --username gus --staff false --active false --password-stdin', 'another long secret'],
  ] as const) {
    await json(args, input);
  }
};

/** Sets up a database, empty without `prepare`, and returns its URL and functions that call commands on it. */
export const useOperator = (prepare?: PrepareTemplate) => {
  const database = useTestDatabase(prepare);
  const url = (): string => database.url;
  return { url, ...makeChapter(() => ({ DATABASE_URL: url() })) };
};

/** The id of no user and no division. */
export const ABSENT_ID = '0190a000-0000-7000-8000-00000000000f';
