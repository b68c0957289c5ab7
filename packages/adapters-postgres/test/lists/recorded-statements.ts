import { type ListQuery, listQuery, type UserListField } from '@chapter/domain';
import type { Runner, Statement } from '../../src/connection/statement.ts';
import { makeReadPage, onlyFrom } from '../../src/lists/read-page.ts';
import { userList } from '../../src/users/user-rows.ts';

const ALL_USERS = listQuery<UserListField>({
  searched: ['username', 'email', 'firstName', 'lastName'],
  order: ['dateJoined'],
  size: 50,
});

/** The row with the name of the division, which has no id. */
export const HEADER_ROW = [null, false];

/** The row that ends a result beyond its limit. */
export const LIMIT_ROW = [null, true];

/** A statement with its values. */
export interface RecordedStatement {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/**
 * Reads pages with a runner that finds no rows, and returns the statements that ran. `exceedsLimit` selects those that
 * exceed their limit.
 */
export const makeRecorded = (exceedsLimit: (at: number) => boolean = () => false) => {
  const ran: RecordedStatement[] = [];
  const runner: Runner = {
    query: async (statement, values) => {
      ran.push({ statement, values });
      return (exceedsLimit(ran.length - 1) ? [HEADER_ROW, LIMIT_ROW] : [HEADER_ROW]) as never;
    },
  };
  const readPage = makeReadPage(onlyFrom(runner), { short: 5, small: 10, large: 100 });
  return async (query: Partial<ListQuery<UserListField>>): Promise<readonly RecordedStatement[]> => {
    ran.length = 0;
    await readPage(userList, 'a division', { ...ALL_USERS, ...query }).catch(() => {});
    return [...ran];
  };
};

/** Returns the texts of statements. */
export const textsOf = (ran: readonly RecordedStatement[]): readonly string[] =>
  ran.map(({ statement }) => statement.text);
