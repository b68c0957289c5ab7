import {
  completeOrder,
  type DivisionListField,
  isDomainError,
  type ListQuery,
  type ListQueryParts,
  listQuery,
  type UserListField,
} from '@chapter/domain/ports';
import { aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { positionsFor, queriesFor } from '../../../../test-support/lists/random-queries.ts';
import { runs } from '../../../../test-support/properties.ts';
import type { Runner } from '../../src/connection/statement.ts';
import { divisionList } from '../../src/divisions/division-repository.ts';
import { makeReadPage, onlyFrom, type ReadPage } from '../../src/lists/read-page.ts';
import { userList, userReferenceList } from '../../src/users/user-rows.ts';
import { SEARCHED } from './planned.ts';
import { HEADER_ROW, LIMIT_ROW, makeRecorded, type RecordedStatement, textsOf } from './recorded-statements.ts';

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

  it('are the same whether or not other queries were compiled before', () => {
    const shared = makeRecorded(() => true);
    const contents = (ran: readonly RecordedStatement[]) =>
      ran.map(({ statement, values }) => [statement.text, values]);
    return fc.assert(
      fc.asyncProperty(queries, async ({ query, position }) => {
        const fresh = makeRecorded(() => true);
        const ran = await shared({ ...query, position });
        expect(contents(ran)).to.deep.equal(contents(await fresh({ ...query, position })));
      }),
      runs(1000),
    );
  });

  it('differ by the list, and by whether a value of the cursor is null', async () => {
    const texts = new Set<string>();
    const readPage = makeReadPage(onlyFrom({ query: async ({ text }) => (texts.add(text), []) }));
    await readPage(userList, 'a division', listQuery({ order: ['username'] }));
    await readPage(userReferenceList, 'a division', listQuery({ order: ['username'] }));
    for (const email of ['x', null]) {
      const position = { side: 'after', inclusive: false, values: [email, 'y'] } as const;
      await readPage(userList, 'a division', listQuery<UserListField>({ order: ['email'], position }));
    }
    expect(texts.size).to.equal(4);
  });

  it('take the values of a cursor from their places in it, also for an order by the division', async () => {
    const ask = makeRecorded();
    const after = (...values: readonly string[]) => ({ side: 'after', inclusive: false, values }) as const;
    const byId = completeOrder<UserListField>([]);
    const byDivision = completeOrder<UserListField>([{ field: 'division', descending: false }]);
    const valuesOf = async (query: Partial<ListQuery<UserListField>>) => (await ask(query))[0]?.values;
    expect(await valuesOf({ order: byDivision, position: after('a division', 'x') })).to.include('x');
    expect(await valuesOf({ order: byId, position: after('y') })).to.include('y');
  });

  it('run in order until one completes the page', async () => {
    const limitsOf = async (exceedsLimit: (at: number) => boolean) =>
      textsOf(await makeRecorded(exceedsLimit)(scan)).map((text) => /limit (\d+)/.exec(text)?.[1]);
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

  it('look words up by all indexed characters outside trigrams', async () => {
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

  const exceeding: Runner = { query: async () => [HEADER_ROW, LIMIT_ROW] as never };
  /** Completes pages, but no counts. */
  const exceedingCounts: Runner = {
    query: async ({ text }) => (text.includes('count(*) filter') ? [[5, true]] : []) as never,
  };

  /** Returns the error of a page that no statement completes. */
  const refusalOf = (runner: Runner, read: (readPage: ReadPage) => Promise<unknown>) =>
    read(makeReadPage(onlyFrom(runner), { short: 5, small: 10, large: 100_000 })).catch((error: unknown) => error);

  const byGroups = completeOrder<UserListField>([{ field: 'groups', descending: false }]);

  const usersRefused = (query: Partial<ListQuery<UserListField>>, runner = exceeding) =>
    refusalOf(runner, (readPage) =>
      readPage(userList, 'a division', { ...listQuery<UserListField>({ searched: SEARCHED }), ...query }),
    );
  const referencesRefused = (words: readonly string[]) =>
    refusalOf(exceeding, (readPage) =>
      readPage(userReferenceList, 'a division', listQuery({ words, searched: ['username'], order: ['username'] })),
    );
  const divisionsRefused = (query: ListQueryParts<DivisionListField>) =>
    refusalOf(exceeding, (readPage) =>
      readPage(divisionList, null, listQuery({ searched: ['name'], order: ['name'], ...query })),
    );

  const byName = 'add a filter that names a value (such as `last_name=…`)';
  const longer = 'search for a word of at least three letters or digits';
  const rarer = 'search for a less frequent word';
  for (const [title, refusal, detail] of [
    ['a word with trigrams', () => usersRefused(scan), `this page …; ${byName}, or ${rarer}`],
    ['a short word', () => usersRefused({ words: ['an'] }), `this page …; ${byName}, or ${longer}`],
    [
      'an order without an index',
      () => usersRefused({ order: byGroups }),
      `this page …; order by one field other than groups and flags, or ${byName}, or ${longer}`,
    ],
    [
      'a count',
      () => usersRefused({ counted: true }, exceedingCounts),
      `the count …; omit \`count\`, or ${byName}, or ${longer}`,
    ],
    ['a list without filters', () => referencesRefused(['an']), `this page …; ${longer}`],
    ['a list without filters, and a word with trigrams', () => referencesRefused(['anna']), `this page …; ${rarer}`],
    [
      'an order of divisions without an index',
      () => divisionsRefused({ order: ['logo'] }),
      `this page …; order by \`id\` or \`name\`, or add a filter that names a value (such as \`name=…\`), or ${longer}`,
    ],
  ] as const) {
    it(`are refused above their row limits, with advice that fits: ${title}`, async () => {
      const error = await refusal();
      expect(isDomainError(error)).to.equal(true);
      expect(error).to.include({
        code: 'too_costly',
        retryAfter: undefined,
        message: detail.replace('…', 'would read more than 100,000 rows'),
      });
    });
  }

  it('share a connection only if they read few index entries', async () => {
    const canShare = async (query: Partial<ListQuery<UserListField>>, exceedsLimit = () => false) =>
      (await makeRecorded(exceedsLimit)(query)).map(({ statement }) => statement.canShareConnection);
    expect(await canShare(scan, () => true)).to.deep.equal([true, false, false, false]);
    expect(await canShare({ counted: true })).to.deep.equal([true, false]);
  });
});
