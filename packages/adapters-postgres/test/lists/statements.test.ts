import { completeOrder, type ListQuery, type Position, type UserListField, userListFields } from '@chapter/domain';
import { aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { runs } from '../../../../test-support/properties.ts';
import { makeListRows } from '../../src/lists/list-rows.ts';
import { userList } from '../../src/lists/lists.ts';
import type { Runner, Statement } from '../../src/statement.ts';
import { positionsFor, queriesFor } from './random-queries.ts';

const FIELDS = Object.keys(userListFields) as UserListField[];
const EVERYTHING: ListQuery<UserListField> = {
  filters: [],
  words: [],
  searched: ['username', 'email', 'firstName', 'lastName'],
  order: completeOrder<UserListField>([{ field: 'dateJoined', descending: false }]),
  size: 50,
  position: null,
  counted: false,
};

interface Ran {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Lists where no walk meets anyone. `many` is whether there are many all the same, elsewhere. */
const makeRecorded = (many = false) => {
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

const textsOf = (ran: readonly Ran[]): readonly string[] => ran.map(({ statement }) => statement.text);
const namesOf = (ran: readonly Ran[]) => ran.flatMap(({ statement }) => statement.name ?? []);

/** The same with a mark that nothing of ours has, and with what would end a string, a statement or a parameter. */
const marked = (text: string): string => `☠${text}'"); --$1 ?%`;

const hostile = (query: ListQuery<UserListField>): ListQuery<UserListField> => ({
  ...query,
  filters: query.filters.map(
    (filter) =>
      ({
        ...filter,
        value: Array.isArray(filter.value)
          ? filter.value.map((value) => marked(String(value)))
          : filter.operator === 'isnull'
            ? filter.value
            : marked(String(filter.value)),
      }) as typeof filter,
  ),
  words: query.words.map(marked),
  position: query.position && {
    ...query.position,
    values: query.position.values.map((value) => (value === null ? null : marked(String(value)))),
  },
});

describe('Statements of lists', () => {
  const people = [aUser().with({ email: 'a@b', lastName: 'Ärger' })];
  const queries = queriesFor(people).chain((query) =>
    fc.record({ query: fc.constant(query), position: fc.oneof(fc.constant(null), positionsFor(people, query)) }),
  );

  it('have nothing of what a caller says in their text, which is the same whatever is said', () =>
    fc.assert(
      fc.asyncProperty(queries, async ({ query: first, position }) => {
        const query = { ...first, position };
        const ask = makeRecorded();
        const texts = textsOf(await ask(query));
        const ran = await ask(hostile(query));
        expect(textsOf(ran)).to.deep.equal(texts);
        expect(texts.join('')).to.match(/^[a-z0-9_$%&@<>=.,*():[\]' \n]+$/);
        if (query.words.length > 0) expect(JSON.stringify(ran.map(({ values }) => values))).to.include('☠');
      }),
      runs(200),
    ));

  it('are made once for a shape, and prepared by the same name for every value and size', async () => {
    const ask = makeRecorded();
    const first = await ask({ words: ['a'], filters: [{ field: 'isActive', operator: 'eq', value: true }], size: 10 });
    const then = await ask({ words: ['b'], filters: [{ field: 'isActive', operator: 'eq', value: false }], size: 90 });
    expect(first).to.have.lengthOf(2);
    expect(namesOf(first)).to.have.lengthOf(2);
    for (const [at, { statement }] of first.entries()) expect(then[at]?.statement).to.equal(statement);
  });

  it('look for rows by their conditions where none is met, and along the order again where too many are found', async () => {
    const kinds = async (many: boolean) =>
      textsOf(await makeRecorded(many)({ words: ['a'] })).map((text) =>
        ['walked', 'with met', 'offset 0'].find((sign) => text.includes(sign)),
      );
    expect(await kinds(false)).to.deep.equal(['walked', 'with met']);
    expect(await kinds(true)).to.deep.equal(['walked', 'with met', 'walked', 'offset 0']);
    const [first, few, second] = textsOf(await makeRecorded(true)({ words: ['a'] }));
    expect(first).to.match(/limit 10\)/);
    expect(few).to.match(/limit 161\)/);
    expect(second).to.match(/limit 160\)/);
  });

  const byId = completeOrder<UserListField>([{ field: 'id', descending: false }]);
  const byUsername = completeOrder<UserListField>([{ field: 'username', descending: true }]);
  const birthdates = { field: 'birthdate', operator: 'in', value: ['2000-01-01'] } as const;
  const inUsername = { field: 'username', operator: 'icontains', value: 'a' } as const;
  const active = { field: 'isActive', operator: 'eq', value: true } as const;
  const cases: readonly (readonly [string, Partial<ListQuery<UserListField>>, boolean])[] = [
    ['words in the default order', { words: ['a', 'bcd'] }, true],
    ['words against it', { words: ['a'], order: completeOrder([{ field: 'dateJoined', descending: true }]) }, true],
    ['words in the field of the order', { words: ['a'], searched: ['username'], order: byUsername }, true],
    ['a filter of the field of the order', { filters: [inUsername], order: byUsername }, true],
    [
      'days of the field of the order',
      { filters: [birthdates], order: completeOrder([{ field: 'birthdate', descending: false }]) },
      true,
    ],
    ['words together with a flag', { words: ['a'], filters: [active] }, false],
    ['words in all fields in another order', { words: ['a'], order: byUsername }, false],
    ['words in the order of the ids', { words: ['a'], order: byId }, false],
    [
      'words within the division as an order',
      { words: ['a'], order: completeOrder([{ field: 'division', descending: false }]) },
      false,
    ],
    [
      'words in an order of two fields',
      {
        words: ['a'],
        order: completeOrder([
          { field: 'dateJoined', descending: false },
          { field: 'username', descending: false },
        ]),
      },
      false,
    ],
  ];
  for (const [title, asked, isInIndex] of cases) {
    it(`look for ${title} ${isInIndex ? 'in the index alone' : 'in the rows'}`, async () => {
      const [walk = ''] = textsOf(await makeRecorded()(asked));
      expect(walk).to.include('walked');
      expect(walk.includes('page cross join')).to.equal(isInIndex);
    });
  }

  const flags: ListQuery<UserListField>['filters'] = [active, { field: 'groups', operator: 'eq', value: 'User' }];
  const days: ListQuery<UserListField>['filters'] = [birthdates, { ...birthdates, field: 'dateJoined' }];
  const orderOf = (field: UserListField, descending = false) => ({
    order: completeOrder<UserListField>([
      { field: 'dateJoined', descending },
      { field, descending: true },
    ]),
  });
  const listed: readonly (readonly [string, Partial<ListQuery<UserListField>>, boolean])[] = [
    ['the default order', {}, true],
    ['the opposite one', { order: completeOrder([{ field: 'dateJoined', descending: true }]) }, true],
    ['an order that it is the beginning of', orderOf('groups'), true],
    ['an order that it is the beginning of, by a text', orderOf('username'), false],
    ['another order', { order: byUsername }, false],
    ['the default order with flags and groups', { filters: flags }, true],
    ['the default order with days', { filters: days }, true],
    ['the default order with moments', { filters: [{ ...birthdates, field: 'dateJoined' }] }, true],
    ['the default order with a text', { filters: [inUsername] }, false],
    ['the default order with a word', { words: ['a'] }, false],
  ];
  for (const [title, asked, isListed] of listed) {
    it(`${isListed ? 'read' : 'do not read'} the index that has a page for ${title}`, async () => {
      const [first = ''] = textsOf(await makeRecorded()(asked));
      expect(first.includes("u.username >= ''")).to.equal(isListed);
      if (isListed) expect(first).to.not.include('page cross join');
    });
  }

  it('do not read the index that has a page for what it does not have', async () => {
    const texts: string[] = [];
    const listRows = makeListRows({
      query: async ({ text }) => {
        texts.push(text);
        return [];
      },
    });
    await listRows({ ...userList, select: [...userList.select, 'u.version'] }, ['a division'], EVERYTHING);
    expect(texts).to.have.lengthOf(1);
    expect(texts[0]).to.not.include("u.username >= ''");
  });

  it('share a connection where they read a few rows along an index, and nowhere else', async () => {
    const byNames = completeOrder<UserListField>([
      { field: 'lastName', descending: false },
      { field: 'firstName', descending: false },
    ]);
    const withDivision = completeOrder<UserListField>([
      { field: 'lastName', descending: false },
      { field: 'division', descending: false },
    ]);
    const mixed: ListQuery<UserListField>['order'] = [
      { field: 'lastName', descending: true },
      { field: 'id', descending: false },
    ];
    const brief = async (query: Partial<ListQuery<UserListField>>) =>
      (await makeRecorded(true)(query)).map(({ statement }) => statement.isBrief);
    expect(await brief({})).to.deep.equal([true]);
    expect(await brief({ order: byUsername })).to.deep.equal([true]);
    // Many may have the same last name; and the index has the division in front of it.
    for (const order of [byNames, withDivision, mixed]) expect(await brief({ order })).to.deep.equal([false]);
    expect(await brief({ order: [{ field: 'isStaff', descending: false }, ...byId] })).to.deep.equal([false]);
    const since = { field: 'username', operator: 'gte', value: 'b' } as const;
    const place: Position = { side: 'after', inclusive: false, values: ['c', 'an id'] };
    expect(await brief({ order: byUsername, position: place })).to.deep.equal([true]);
    expect(await brief({ order: byUsername, filters: [since] })).to.deep.equal([true]);
    // Of a bound and a place, nobody says at which one the index is entered.
    expect(await brief({ order: byUsername, filters: [since], position: place })).to.deep.equal([false]);
    expect(await brief({ counted: true })).to.deep.equal([true, false]);
    expect(await brief({ words: ['a'] })).to.deep.equal([true, false, false, false]);
    expect(await brief({ words: ['a'], order: byNames })).to.deep.equal([false, false, false, false]);
  });

  it('never share a name, nor have a number of names that grows with what is asked', async () => {
    const ask = makeRecorded();
    const byName = new Map<string, string>();
    const orders = FIELDS.flatMap((one) => FIELDS.map((other) => [one, other]));
    for (const [one = 'id', other = 'id'] of orders) {
      const order = completeOrder<UserListField>([
        { field: one, descending: true },
        ...(one === other ? [] : [{ field: other, descending: false }]),
      ]);
      for (const words of [[], ['a'], ['a', 'b'], ['a', 'b', 'c']]) {
        for (const { statement } of await ask({ order, words, counted: true })) {
          if (!statement.name) continue;
          expect(byName.get(statement.name) ?? statement.text).to.equal(statement.text);
          byName.set(statement.name, statement.text);
        }
      }
    }
    expect(byName.size).to.be.within(100, 200);
  });

  it('keep names for lists without conditions, whatever conditions others think of', async () => {
    const ask = makeRecorded();
    for (const searched of FIELDS) {
      for (const { field } of FIELDS.map((name) => ({ field: name }))) {
        await ask({ words: ['a'], searched: [searched], filters: [{ field, operator: 'in', value: [] }] });
      }
    }
    expect(namesOf(await ask({ words: ['a'], filters: [{ field: 'email', operator: 'lt', value: 'a' }] }))).to.be.empty;
    expect(namesOf(await ask({ order: completeOrder([{ field: 'lastName', descending: true }]) }))).to.have.lengthOf(1);
  });
});
