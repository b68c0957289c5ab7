import { completeOrder, type ListQuery, type UserListField } from '@chapter/domain';
import type { Runner, Statement } from '../../src/connection/statement.ts';
import { makeListRows } from '../../src/lists/list-rows.ts';
import { userList } from '../../src/users/user-list.ts';

const EVERYTHING: ListQuery<UserListField> = {
  filters: [],
  words: [],
  searched: ['username', 'email', 'firstName', 'lastName'],
  order: completeOrder<UserListField>([{ field: 'dateJoined', descending: false }]),
  size: 50,
  position: null,
  counted: false,
};

/** A statement with its values. */
export interface Ran {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Asks for lists where no walk meets anyone, and tells what was run. `many` is whether there are many all the same, elsewhere. */
export const makeRecorded = (many = false) => {
  const ran: Ran[] = [];
  const runner: Runner = {
    query: async (statement, values) => {
      ran.push({ statement, values });
      if (statement.text.includes('walked')) return [[null, false]] as never;
      return (statement.text.startsWith('with met') ? [[null, many]] : []) as never;
    },
  };
  const listRows = makeListRows(runner, 10);
  const ask = async (query: Partial<ListQuery<UserListField>>): Promise<readonly Ran[]> => {
    ran.length = 0;
    await listRows(userList, ['a division'], { ...EVERYTHING, ...query });
    return [...ran];
  };
  return ask;
};

/** The texts of statements. */
export const textsOf = (ran: readonly Ran[]): readonly string[] => ran.map(({ statement }) => statement.text);
