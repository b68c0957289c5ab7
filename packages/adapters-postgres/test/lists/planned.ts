import { type Filter, type ListQueryParts, listQuery, type UserListField } from '@chapter/domain/ports';
import { type CountStrategy, planPage, type Strategy } from '../../src/lists/plan.ts';
import { shapeOf } from '../../src/lists/shape.ts';
import { userList } from '../../src/users/user-rows.ts';

/** The fields in which users are searched. */
export const SEARCHED: readonly UserListField[] = ['username', 'email', 'firstName', 'lastName'];

/** The parts of a query of users that a test sets. */
export type UserQuery = ListQueryParts<UserListField>;

/** Returns the shape of a query of a division's users. */
export const shapeOfUsers = (query: UserQuery) => {
  const whole = listQuery({ searched: SEARCHED, order: ['dateJoined'] as const, ...query });
  return shapeOf(userList, { divisionId: 'a division', query: whole });
};

/** Plans a page of a division's users. */
export const planOf = (query: UserQuery) => planPage(shapeOfUsers(query));

const filtersOf = (strategy: Strategy | CountStrategy): readonly number[] =>
  'servedFilters' in strategy ? strategy.servedFilters : strategy.boundingFilters;

/** Describes a strategy in one line: its kind, its index and its bounds. */
export const summary = (strategy: Strategy | CountStrategy): string =>
  [
    strategy.kind,
    strategy.index.name.replace('user_account_', ''),
    ...('reads' in strategy ? [`reads ${strategy.reads}`] : []),
    ...(filtersOf(strategy).length > 0 ? [`filters ${filtersOf(strategy).join()}`] : []),
    ...('isPresorted' in strategy && strategy.isPresorted ? ['presorted'] : []),
    ...('limit' in strategy ? [String(strategy.limit)] : []),
  ].join(', ');

/** Describes the strategies of a page of a division's users. */
export const summaries = (query: UserQuery): readonly string[] => planOf(query).map(summary);

/** Makes a filter of users. */
export const filter = (field: UserListField, operator: string, value: unknown) =>
  ({ field, operator, value }) as Filter<UserListField>;

/** A filter that most users meet. */
export const active = filter('isActive', 'eq', true);
/** A filter by a range. */
export const born = filter('birthdate', 'gte', '1990-01-01');
