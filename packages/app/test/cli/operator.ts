import { expect } from 'chai';
import { type PrepareTemplate, useTestDatabase } from '../../../../test-support/database.ts';
import { type Called, call } from './call.ts';

const callOn = (url: string, args: string, input: string | Uint8Array = ''): Promise<Called> =>
  call(args.split(' '), { variables: { DATABASE_URL: url }, input });

const succeed = async (url: string, args: string, input = ''): Promise<unknown> => {
  const { err, out, status } = await callOn(url, `${args} --json`, input);
  expect([status, err], err).to.deep.equal([0, '']);
  return JSON.parse(out);
};

/** Prepares a database with the schema. */
export const migrated: PrepareTemplate = async (url) => {
  await succeed(url, 'migrate');
};

/** Prepares a database with North and South, the Leader and superuser `ada` of North, and the inactive user `gus`. */
export const withMembers: PrepareTemplate = async (url) => {
  await migrated(url);
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
    await succeed(url, args, input);
  }
};

/** Sets up a database, empty without `prepare`, and returns functions that call commands on it. Spaces separate arguments. */
export const useOperator = (prepare?: PrepareTemplate) => {
  const database = useTestDatabase(prepare);
  return {
    url: (): string => database.url,
    chapter: (args: string, input: string | Uint8Array = ''): Promise<Called> => callOn(database.url, args, input),
    /** Returns the result of a command that must succeed. */
    json: async <T = Record<string, unknown>>(args: string, input = ''): Promise<T> =>
      (await succeed(database.url, args, input)) as T,
    /** Returns the error of a command that must fail. */
    fault: async (args: string, input: string | Uint8Array = ''): Promise<string> => {
      const { err, out, status } = await callOn(database.url, args, input);
      expect([status, out]).to.deep.equal([1, '']);
      return err;
    },
  };
};

/** The id of no user and no division. */
export const ABSENT_ID = '0190a000-0000-7000-8000-00000000000f';
