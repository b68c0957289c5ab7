import { completeOrder, type ListQuery, type Position, type UserListField, userListFields } from '@chapter/domain';
import { aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { runs } from '../../../../test-support/properties.ts';
import { positionsFor, queriesFor } from './random-queries.ts';
import { makeRecorded, type Ran, textsOf } from './recorded-statements.ts';

const FIELDS = Object.keys(userListFields) as UserListField[];
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
