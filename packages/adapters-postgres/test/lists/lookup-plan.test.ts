import { expect } from 'chai';
import { countedShape, planCount } from '../../src/lists/plan.ts';
import { active, born, filter, shapeOfUsers, summaries, summary, type UserQuery } from './planned.ts';

describe('Plans of lookups', () => {
  it('look words up by indexed characters', () => {
    for (const word of ['静香', 'łó', '%', 'qq', 'lj']) {
      expect(summaries({ words: [word] }), word).to.deep.equal([
        'bounded scan, date_joined_order, reads index and page, 500',
        'bounded scan, date_joined_order, reads index and page, 10000',
        'index lookup and sort, search, 100000',
        'bounded scan, date_joined_order, reads index and page, 100000',
      ]);
    }
  });

  it('have no lookup for words without trigrams and indexed characters', () => {
    expect(summaries({ words: ['ea', 'a.l', '@', '7'] })).to.deep.equal([
      'bounded scan, date_joined_order, reads index and page, 500',
      'bounded scan, date_joined_order, reads index and page, 10000',
      'bounded scan, date_joined_order, reads index and page, 100000',
    ]);
  });

  it('look rows up by a prefix before characters, because all rows that it finds have the prefix', () => {
    const startsWith = filter('username', 'istartswith', 'qu');
    expect(summaries({ filters: [startsWith], order: ['-email'] }).slice(2, -1)).to.deep.equal([
      'index lookup and sort, username_key_order, filters 0, 100000',
      'index lookup and sort, search, 100000',
    ]);
  });

  it('look rows up by characters before other bounds, which many rows can meet', () => {
    expect(summaries({ words: ['楊'], filters: [born, active] }).slice(2, -1)).to.deep.equal([
      'index lookup and sort, search, filters 1, 100000',
      'index lookup and sort, birthdate_order, filters 0, 100000',
    ]);
  });

  it('have at most three lookups: by a prefix, by bounds, and by characters, groups and flags', () => {
    const startsWith = (text: string) => filter('username', 'istartswith', text);
    const lookupsFor = (text: string) =>
      summaries({ filters: [born, active, startsWith(text)], order: ['-email'] }).slice(2, -1);
    const [byPrefix, byBound, inverted] = [
      'index lookup and sort, username_key_order, filters 2, 100000',
      'index lookup and sort, birthdate_order, filters 0, 100000',
      'index lookup and sort, search, filters 1, 100000',
    ];
    expect(lookupsFor('an')).to.deep.equal([byPrefix, byBound, inverted]);
    expect(lookupsFor('qu')).to.deep.equal([byPrefix, inverted, byBound]);
    expect(lookupsFor('ann')).to.deep.equal([inverted]);
  });

  it('have no lookup by bounds of the field whose index is scanned, because scans read only their range', () => {
    expect(summaries({ words: ['楊'], filters: [born], order: ['birthdate'] }).slice(2, -1)).to.deep.equal([
      'index lookup and sort, search, 100000',
    ]);
    const joined = filter('dateJoined', 'gte', '2020-01-01T00:00:00.000Z');
    // Without an index for the order, the scans read the index of the default order.
    expect(summaries({ filters: [joined], order: ['groups'] })).to.have.lengthOf(2);
    expect(summaries({ words: ['an'], filters: [born], order: ['birthdate', 'lastName'] })).to.deep.equal(
      [500, 10_000, 100_000].map((limit) => `full sort, birthdate_order, filters 0, presorted, ${limit}`),
    );
  });

  it('look rows up by the same index in any order of the filters', () => {
    const [first, last] = [filter('firstName', 'eq', 'anna'), filter('lastName', 'eq', 'berg')];
    const expected = 'index lookup and sort, first_name_key_order, filters';
    expect(summaries({ filters: [first, last] })[0]).to.equal(`${expected} 0, 10000`);
    expect(summaries({ filters: [last, first] })[0]).to.equal(`${expected} 1, 10000`);
  });

  it('look rows up by values first', () => {
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

  it('find text filters by their trigrams and characters', () => {
    for (const text of ['ann', 'q']) {
      const query = { filters: [filter('firstName', 'icontains', text)], order: ['-email'] } as const;
      expect(summaries(query)[2], text).to.equal('index lookup and sort, search, 100000');
    }
    expect(summaries({ filters: [filter('firstName', 'icontains', 'an')] })).to.have.lengthOf(3);
  });
});

describe('Plans of counts', () => {
  const planned = (query: UserQuery): readonly string[] => planCount(countedShape(shapeOfUsers(query))).map(summary);

  it('count all rows with one scan of the smallest index', () => {
    expect(planned({})).to.deep.equal(['bounded scan, id_order, reads index, 100000']);
  });

  it('count with the index of a filtered field, for any order', () => {
    expect(planned({ filters: [born], order: ['groups'] })).to.deep.equal([
      'bounded scan, birthdate_order, reads index, filters 0, 100000',
    ]);
  });

  it('scan up to the small limit, look rows up, and scan up to the large limit if each row is checked', () => {
    expect(planned({ words: ['anna'] })).to.deep.equal([
      'bounded scan, date_joined_order, reads index, 10000',
      'index lookup and sort, search, 100000',
      'bounded scan, date_joined_order, reads index, 100000',
    ]);
  });

  it('look rows up by characters, not again by the filter whose range is scanned', () => {
    expect(planned({ words: ['楊'], filters: [born] })).to.deep.equal([
      'bounded scan, birthdate_order, reads rows, filters 0, 10000',
      'index lookup and sort, search, 100000',
      'bounded scan, birthdate_order, reads rows, filters 0, 100000',
    ]);
  });
});
