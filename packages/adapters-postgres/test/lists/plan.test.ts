import {
  type DivisionListField,
  type Filter,
  type ListQueryParts,
  listQuery,
  type Position,
  type UserListField,
} from '@chapter/domain';
import { expect } from 'chai';
import { divisionList } from '../../src/divisions/division-list.ts';
import { countedShape, planCount } from '../../src/lists/count.ts';
import { LIMITS, planPage, type Strategy } from '../../src/lists/plan.ts';
import { shapeOf } from '../../src/lists/shape.ts';
import { userList } from '../../src/users/user-rows.ts';

const inDivision = { divisionId: 'a division' };
const SEARCHED: readonly UserListField[] = ['username', 'email', 'firstName', 'lastName'];

type UserQuery = ListQueryParts<UserListField>;

const shapeOfUsers = (query: UserQuery) =>
  shapeOf(userList, listQuery({ searched: SEARCHED, order: ['dateJoined'], ...query }));

const planOf = (query: UserQuery) => planPage(userList, inDivision, shapeOfUsers(query));

/** A strategy in one line: what it is, its index, what bounds it. */
const summary = (strategy: Strategy | ReturnType<typeof planCount>[number]): string =>
  [
    strategy.kind,
    strategy.index.name.replace('user_account_', ''),
    ...('reads' in strategy ? [`reads ${strategy.reads}`] : []),
    ...(strategy.filters.length > 0 ? [`filters ${strategy.filters.join()}`] : []),
    ...('isPresorted' in strategy && strategy.isPresorted ? ['presorted'] : []),
    ...('limit' in strategy ? [String(strategy.limit)] : []),
  ].join(', ');

const summaries = (query: UserQuery): readonly string[] => planOf(query).map(summary);

const filter = (field: UserListField, operator: string, value: unknown) =>
  ({ field, operator, value }) as Filter<UserListField>;

const active = filter('isActive', 'eq', true);
const born = filter('birthdate', 'gte', '1990-01-01');
const cursor = (...values: readonly string[]): Position => ({ side: 'after', inclusive: false, values });

describe('Plans of list pages', () => {
  it('read a page in the default order from the index that has all its columns', () => {
    const index = userList.indexes.find(({ name }) => name === 'user_account_listed');
    expect(planOf({})).to.deep.equal([{ kind: 'index scan', index, filters: [], isBrief: true }]);
    expect(summaries({ order: ['-dateJoined'] })).to.deep.equal(['index scan, listed']);
  });

  const orders: readonly (readonly [UserQuery['order'], string])[] = [
    [['username'], 'index scan, username_key_order'],
    [['-email'], 'index scan, email_key_order'],
    [['id'], 'index scan, id_order'],
    [['division'], 'index scan, id_order'],
    [['division', 'lastName'], 'index scan, last_name_key_order'],
    // A username is unique, so that the fields after it decide nothing.
    [['username', 'lastName'], 'index scan, username_key_order'],
    [['lastName', 'firstName'], 'full sort, last_name_key_order, presorted, 500'],
    [['-lastName', 'id'], 'full sort, last_name_key_order, presorted, 500'],
    [['dateJoined', 'groups'], 'full sort, listed, presorted, 500'],
    [['groups'], 'full sort, listed, 10000'],
    [['isActive', 'username'], 'full sort, date_joined_order, 10000'],
    // Nulls after a fixed field are no range of their own.
    [['division', 'email'], 'full sort, date_joined_order, 10000'],
  ];
  for (const [order, expected] of orders) {
    it(`serve the order ${order?.join()} by: ${expected}`, () => {
      expect(summaries({ order: order ?? [] })[0]).to.equal(expected);
    });
  }

  it('try an order without an index with the small limit first, and one of the first field with a short one', () => {
    expect(summaries({ order: ['groups'] })).to.deep.equal(['full sort, listed, 10000', 'full sort, listed, 100000']);
    expect(summaries({ order: ['lastName', 'groups'] })).to.deep.equal(
      [500, 10_000, 100_000].map((limit) => `full sort, last_name_key_order, presorted, ${limit}`),
    );
  });

  it('bound the range of the index by filters of the field of the order', () => {
    expect(summaries({ order: ['birthdate'], filters: [born] })).to.deep.equal([
      'index scan, birthdate_order, filters 0',
    ]);
    expect(summaries({ filters: [filter('division', 'in', ['x'])] })).to.deep.equal(['index scan, listed, filters 0']);
  });

  it('share a connection only for a page and a short scan, where they begin at a known entry', () => {
    const isBrief = (query: UserQuery) => planOf(query).map((strategy) => 'isBrief' in strategy && strategy.isBrief);
    expect(isBrief({ order: ['birthdate'], filters: [born] })).to.deep.equal([true]);
    expect(isBrief({ order: ['birthdate'], position: cursor('1991-01-01', 'an id') })).to.deep.equal([true]);
    const both = { order: ['birthdate'] as const, filters: [born], position: cursor('1991-01-01', 'an id') };
    expect(isBrief(both)).to.deep.equal([false]);
    expect(isBrief({ words: ['qq'] })).to.deep.equal([true, false, false]);
  });

  it('scan along the order within bounds, and look words up by their trigrams between', () => {
    expect(summaries({ words: ['anna'], filters: [active], order: ['-lastName'] })).to.deep.equal([
      'bounded scan, last_name_key_order, reads rows, 500',
      'bounded scan, last_name_key_order, reads rows, 10000',
      'index lookup and sort, search, filters 0, 100000',
      'bounded scan, last_name_key_order, reads rows, 100000',
    ]);
  });

  it('read the index alone where it has what the conditions check', () => {
    expect(summaries({ words: ['anna'] })[0]).to.equal('bounded scan, date_joined_order, reads index and page, 500');
    expect(summaries({ filters: [active, filter('groups', 'eq', 'User')] })[0]).to.equal(
      'bounded scan, listed, reads index, 500',
    );
    const inUsername = { words: ['a'], searched: ['username'], order: ['username'] } as const;
    expect(summaries(inUsername)[0]).to.equal('bounded scan, username_key_order, reads index and page, 500');
    expect(summaries({ words: ['a'], filters: [active] })[0]).to.include('reads rows');
  });

  it('have no lookup for words that have no trigrams', () => {
    expect(summaries({ words: ['qq', '%', '静香'] })).to.deep.equal([
      'bounded scan, date_joined_order, reads index and page, 500',
      'bounded scan, date_joined_order, reads index and page, 10000',
      'bounded scan, date_joined_order, reads index and page, 100000',
    ]);
  });

  it('look rows up by values first, and before by nothing else', () => {
    const berg = filter('lastName', 'eq', 'berg');
    expect(summaries({ filters: [active, berg], words: ['anna'] })).to.deep.equal([
      'index lookup and sort, last_name_key_order, filters 1, 10000',
      'bounded scan, date_joined_order, reads rows, 500',
      'bounded scan, date_joined_order, reads rows, 10000',
      'index lookup and sort, last_name_key_order, filters 1, 100000',
      'bounded scan, date_joined_order, reads rows, 100000',
    ]);
  });

  it('look rows up by bounds of another field, and by groups and flags', () => {
    expect(summaries({ filters: [born, active], order: ['id'] }).slice(2, -1)).to.deep.equal([
      'index lookup and sort, birthdate_order, filters 0, 100000',
      'index lookup and sort, search, filters 1, 100000',
    ]);
    const groups = filter('groups', 'in', ['Leader', 'Guest']);
    expect(summaries({ filters: [groups] })[2]).to.equal('index lookup and sort, search, filters 0, 100000');
  });

  it('find text filters by their trigrams', () => {
    expect(summaries({ filters: [filter('firstName', 'icontains', 'ann')] })[2]).to.equal(
      'index lookup and sort, search, 100000',
    );
    expect(summaries({ filters: [filter('firstName', 'icontains', 'an')] })).to.have.lengthOf(3);
  });

  it('never read more rows than the limits add up to', () => {
    const total = planOf({
      words: ['anna'],
      filters: [filter('lastName', 'eq', 'berg'), born, active],
      order: ['groups'],
    })
      .map((strategy) => ('limit' in strategy ? strategy.limit : Number.POSITIVE_INFINITY))
      .reduce((sum, limit) => sum + limit);
    expect(total).to.equal(2 * LIMITS.small + 2 * LIMITS.large);
  });

  it('serve divisions by the indexes of their table', () => {
    const plan = (query: ListQueryParts<DivisionListField>) =>
      planPage(
        divisionList,
        'all',
        shapeOf(divisionList, listQuery({ searched: ['name'], order: ['name'], ...query })),
      ).map(summary);
    expect(plan({})).to.deep.equal(['index scan, division_name_key_unique']);
    expect(plan({ order: ['-id'] })).to.deep.equal(['index scan, division_pkey']);
    expect(plan({ order: ['logo'] })[0]).to.equal('full sort, division_name_key_unique, 10000');
    expect(plan({ words: ['ost'] })).to.deep.equal([
      'bounded scan, division_name_key_unique, reads rows, 500',
      'bounded scan, division_name_key_unique, reads rows, 10000',
      'index lookup and sort, division_search, 100000',
      'bounded scan, division_name_key_unique, reads rows, 100000',
    ]);
  });
});

describe('Plans of counts', () => {
  const planned = (query: UserQuery): readonly string[] =>
    planCount(userList, inDivision, countedShape(userList, inDivision, shapeOfUsers(query))).map(summary);

  it('count all rows by one scan of the smallest index', () => {
    expect(planned({})).to.deep.equal(['bounded scan, id_order, reads index, 100000']);
  });

  it('count along the index of a field that a filter bounds, in any order', () => {
    expect(planned({ filters: [born], order: ['groups'] })).to.deep.equal([
      'bounded scan, birthdate_order, reads index, filters 0, 100000',
    ]);
  });

  it('scan within the small limit, look rows up, and scan within the large limit, where each row is checked', () => {
    expect(planned({ words: ['anna'] })).to.deep.equal([
      'bounded scan, date_joined_order, reads index, 10000',
      'index lookup and sort, search, 100000',
      'bounded scan, date_joined_order, reads index, 100000',
    ]);
  });
});
