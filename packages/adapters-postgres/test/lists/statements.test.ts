import { completeOrder, isDomainError, type ListQuery, listQuery, type UserListField } from '@chapter/domain';
import { aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { runs } from '../../../../test-support/properties.ts';
import type { Runner } from '../../src/connection/statement.ts';
import { makeReadPage } from '../../src/lists/read-page.ts';
import { userList } from '../../src/users/user-rows.ts';
import { positionsFor, queriesFor } from './random-queries.ts';
import { makeRecorded, textsOf } from './recorded-statements.ts';

/** Adds a unique character, and characters that could end a string, a statement or a parameter. */
const hostile = (text: string): string => `☠${text}'"); --$1 ?%`;

/** Adds a character like the unique one of {@link hostile}: whether there is one is not a value. */
const harmless = (text: string): string => `☺${text}`;

/** Marks the texts of a query. */
const marked = (query: ListQuery<UserListField>, mark: (text: string) => string): ListQuery<UserListField> => ({
  ...query,
  filters: query.filters.map(
    (filter) =>
      ({
        ...filter,
        value: Array.isArray(filter.value)
          ? filter.value.map((value) => mark(String(value)))
          : filter.operator === 'isnull'
            ? filter.value
            : mark(String(filter.value)),
      }) as typeof filter,
  ),
  words: query.words.map(mark),
  position: query.position && {
    ...query.position,
    values: query.position.values.map((value) => (value === null ? null : mark(String(value)))),
  },
});

describe('Statements of lists', () => {
  const byUsername = completeOrder<UserListField>([{ field: 'username', descending: true }]);
  const people = [aUser().with({ email: 'a@b', lastName: 'Ärger' })];
  const queries = queriesFor(people).chain((query) =>
    fc.record({ query: fc.constant(query), position: fc.oneof(fc.constant(null), positionsFor(people, query)) }),
  );

  it('contain no values of a caller in their text, which is the same for all values', () =>
    fc.assert(
      fc.asyncProperty(queries, async ({ query: first, position }) => {
        const query = { ...first, position };
        const ask = makeRecorded(() => true);
        const texts = textsOf(await ask(marked(query, harmless)));
        const ran = await ask(marked(query, hostile));
        expect(textsOf(ran)).to.deep.equal(texts);
        expect(texts.join('')).to.match(/^[a-z0-9_$%&@|<>=.,*():[\]'" \n]+$/);
        if (query.words.length > 0) expect(JSON.stringify(ran.map(({ values }) => values))).to.include('☠');
      }),
      runs(200),
    ));

  const scan: Partial<ListQuery<UserListField>> = { words: ['anna'], order: byUsername };

  it('are compiled once per shape, and reusable for all values and page sizes', async () => {
    const ask = makeRecorded(() => true);
    const first = await ask({ ...scan, words: ['anna'], size: 10 });
    const then = await ask({ ...scan, words: ['bertha'], size: 90 });
    expect(first).to.have.lengthOf(4);
    for (const [at, { statement }] of first.entries()) {
      expect(then[at]?.statement).to.equal(statement);
      expect(statement).to.include({ isReusable: true }).and.to.not.have.property('name');
    }
  });

  it('run in order until one completes the page', async () => {
    const limitsOf = async (reachesLimit: (at: number) => boolean) =>
      textsOf(await makeRecorded(reachesLimit)(scan)).map((text) => /limit (\d+)/.exec(text)?.[1]);
    expect(await limitsOf(() => false)).to.deep.equal(['5']);
    expect(await limitsOf((at) => at === 0)).to.deep.equal(['5', '10']);
    expect(await limitsOf((at) => at < 3)).to.deep.equal(['5', '10', '101', '100']);
  });

  it('look words up by four trigrams from all their parts, or by fewer if they have fewer', async () => {
    const patternsOf = async (words: readonly string[]) => {
      const lookUp = (await makeRecorded(() => true)({ ...scan, words }))[2];
      return lookUp?.values.filter((value) => /^%...%$/.test(String(value)));
    };
    expect(await patternsOf(['quetzalj', 'example', 'qq'])).to.deep.equal(['%que%', '%etz%', '%alj%', '%amp%']);
    expect(await patternsOf(['000000'])).to.deep.equal(['%000%', '%000%', '%000%', '%000%']);
    expect(await patternsOf(['łukasz'])).to.deep.equal(['%uka%', '%uka%', '%kas%', '%asz%']);
  });

  it('look words up by all characters that the index has, except those in trigrams', async () => {
    const charactersOf = async (words: readonly string[]) => {
      const lookUp = (await makeRecorded(() => true)({ ...scan, words }))[2];
      expect(lookUp?.statement.text).to.include(' @> ');
      return lookUp?.values.find(Array.isArray);
    };
    expect(await charactersOf(['静香', 'a%y@.', 'lj', 'j7'])).to.deep.equal(['静', '香', '%', 'y', 'j']);
    expect(await charactersOf(['quetzalj-x1', 'łukasz'])).to.deep.equal(['-', 'x', 'ł']);
    // U+0001 separates the searched texts of each row, so the index does not have it.
    expect(await charactersOf(['q\u0001x'])).to.deep.equal(['q', 'x']);
  });

  const refusalOf = async (query: Partial<ListQuery<UserListField>>) => {
    const runner: Runner = { query: async () => [[null, true]] as never };
    const readPage = makeReadPage(runner, { short: 5, small: 10, large: 100_000 });
    return readPage(userList, { divisionId: 'a division' }, { ...listQuery<UserListField>({}), ...query }).catch(
      (error: unknown) => error,
    );
  };

  it('are refused above their row limits, with advice', async () => {
    const error = await refusalOf(scan);
    expect(isDomainError(error)).to.equal(true);
    expect(error).to.include({ code: 'unavailable', retryAfter: 60 });
    expect(String(error)).to.match(/this page would read more than 100,000 rows of the list; add a filter that/);
    const unordered = await refusalOf({
      order: completeOrder<UserListField>([{ field: 'groups', descending: false }]),
    });
    expect(String(unordered)).to.include('order by one field other than groups and flags, or add a filter');
  });

  it('refuse a count above its limit', async () => {
    const runner: Runner = {
      query: async ({ text }) => (text.includes('count(*) filter') ? [[5, true]] : []) as never,
    };
    const readPage = makeReadPage(runner, { short: 5, small: 10, large: 100 });
    const query = { ...listQuery<UserListField>({}), counted: true };
    const error = await readPage(userList, { divisionId: 'a division' }, query).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include(
      'the count would read more than 100 rows of the list; omit `count`, or add a filter',
    );
  });

  it('share a connection only if they read few index entries', async () => {
    const canShare = async (query: Partial<ListQuery<UserListField>>, reachesLimit = () => false) =>
      (await makeRecorded(reachesLimit)(query)).map(({ statement }) => statement.canShareConnection);
    expect(await canShare({})).to.deep.equal([true]);
    expect(await canShare({ order: byUsername })).to.deep.equal([true]);
    expect(await canShare(scan, () => true)).to.deep.equal([true, false, false, false]);
    expect(await canShare({ counted: true })).to.deep.equal([true, false]);
  });
});
