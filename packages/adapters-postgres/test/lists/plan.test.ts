import { type DivisionListField, type ListQueryParts, listQuery, type Position } from '@chapter/domain/ports';
import { expect } from 'chai';
import { divisionList } from '../../src/divisions/division-repository.ts';
import { LIMITS, planPage } from '../../src/lists/plan.ts';
import { shapeOf } from '../../src/lists/shape.ts';
import { userList } from '../../src/users/user-rows.ts';
import { active, born, filter, planOf, summaries, summary, type UserQuery } from './planned.ts';

const cursor = (...values: readonly string[]): Position => ({ side: 'after', inclusive: false, values });

describe('Plans of list pages', () => {
  it('read a page in the default order from the index that has all its columns', () => {
    const index = userList.indexes.find(({ name }) => name === 'user_account_listed');
    expect(planOf({})).to.deep.equal([{ kind: 'index scan', index, boundingFilters: [], canShareConnection: true }]);
    expect(summaries({ order: ['-dateJoined'] })).to.deep.equal(['index scan, listed']);
  });

  const orders: readonly (readonly [UserQuery['order'], string])[] = [
    [['username'], 'index scan, username_key_order'],
    [['-email'], 'index scan, email_key_order'],
    [['id'], 'index scan, id_order'],
    [['division'], 'index scan, id_order'],
    [['division', 'lastName'], 'index scan, last_name_key_order'],
    // Usernames are unique, so fields after them do not affect the order.
    [['username', 'lastName'], 'index scan, username_key_order'],
    [['lastName', 'firstName'], 'full sort, last_name_key_order, presorted, 500'],
    [['-lastName', 'id'], 'full sort, last_name_key_order, presorted, 500'],
    [['dateJoined', 'groups'], 'full sort, listed, presorted, 500'],
    [['groups'], 'full sort, listed, 10000'],
    [['isActive', 'username'], 'full sort, date_joined_order, 10000'],
    // The members of a division have the same division, wherever the order has it.
    [['division', 'email'], 'index scan, email_key_order'],
    [['division', '-lastName'], 'index scan, last_name_key_order'],
    [['lastName', 'division'], 'index scan, last_name_key_order'],
    // The id has the direction of the last field, so an ascending division makes the ids ascend.
    [['-lastName', 'division'], 'full sort, last_name_key_order, presorted, 500'],
  ];
  for (const [order, expected] of orders) {
    it(`serve the order ${order?.join()} by: ${expected}`, () => {
      expect(summaries({ order: order ?? [] })[0]).to.equal(expected);
    });
  }

  it('sort all rows if the cursor has another division than the list', () => {
    const order = ['division', 'lastName'] as const;
    expect(summaries({ order, position: cursor('a division', 'berg', 'an id') })).to.deep.equal([
      'index scan, last_name_key_order',
    ]);
    expect(summaries({ order, position: cursor('another', 'berg', 'an id') })[0]).to.equal(
      'full sort, date_joined_order, 10000',
    );
  });

  it('start with the small limit for an order without an index, and with the short limit for a presorted order', () => {
    expect(summaries({ order: ['groups'] })).to.deep.equal(['full sort, listed, 10000', 'full sort, listed, 100000']);
    expect(summaries({ order: ['lastName', 'groups'] })).to.deep.equal(
      [500, 10_000, 100_000].map((limit) => `full sort, last_name_key_order, presorted, ${limit}`),
    );
  });

  it('bound the range of the index by filters of the order field', () => {
    expect(summaries({ order: ['birthdate'], filters: [born] })).to.deep.equal([
      'index scan, birthdate_order, filters 0',
    ]);
    expect(summaries({ filters: [filter('division', 'in', ['x'])] })).to.deep.equal(['index scan, listed, filters 0']);
  });

  it('share a connection only for index scans and short scans that start at a known entry', () => {
    const canShare = (query: UserQuery) =>
      planOf(query).map((strategy) => 'canShareConnection' in strategy && strategy.canShareConnection);
    expect(canShare({ order: ['birthdate'], filters: [born] })).to.deep.equal([true]);
    expect(canShare({ order: ['birthdate'], position: cursor('1991-01-01', 'an id') })).to.deep.equal([true]);
    const both = { order: ['birthdate'] as const, filters: [born], position: cursor('1991-01-01', 'an id') };
    expect(canShare(both)).to.deep.equal([false]);
    expect(canShare({ words: ['ea'] })).to.deep.equal([true, false, false]);
  });

  it('scan in order up to the small limit, look words up by trigrams, then scan up to the large limit', () => {
    expect(summaries({ words: ['anna'], filters: [active], order: ['-lastName'] })).to.deep.equal([
      'bounded scan, last_name_key_order, reads rows, 500',
      'bounded scan, last_name_key_order, reads rows, 10000',
      'index lookup and sort, search, filters 0, 100000',
      'bounded scan, last_name_key_order, reads rows, 100000',
    ]);
  });

  it('read only the index if it has all columns that the conditions check', () => {
    expect(summaries({ words: ['anna'] })[0]).to.equal('bounded scan, date_joined_order, reads index and page, 500');
    expect(summaries({ filters: [active, filter('groups', 'eq', 'User')] })[0]).to.equal(
      'bounded scan, listed, reads index, 500',
    );
    const inUsername = { words: ['a'], searched: ['username'], order: ['username'] } as const;
    expect(summaries(inUsername)[0]).to.equal('bounded scan, username_key_order, reads index and page, 500');
    expect(summaries({ words: ['a'], filters: [active] })[0]).to.include('reads rows');
  });

  it('never read more rows than the sum of the limits', () => {
    const total = planOf({
      words: ['anna'],
      filters: [filter('lastName', 'eq', 'berg'), born, active],
      order: ['groups'],
    })
      .map((strategy) => ('limit' in strategy ? strategy.limit : Number.POSITIVE_INFINITY))
      .reduce((sum, limit) => sum + limit);
    expect(total).to.equal(2 * LIMITS.small + 2 * LIMITS.large);
  });

  it('have no field that the list does not have', () => {
    expect(() => planOf({ order: ['password' as 'id'] })).to.throw('the list of users has no field password');
  });

  it('use the indexes of divisions for their lists', () => {
    const plan = (query: ListQueryParts<DivisionListField>) =>
      planPage(
        shapeOf(divisionList, {
          divisionId: null,
          query: listQuery({ searched: ['name'], order: ['name'], ...query }),
        }),
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
