import {
  completeOrder,
  type Filter,
  foldCase,
  type ListField,
  type ListQuery,
  listValueOf,
  type Operator,
  operatorsOf,
  type Page,
  type Position,
  type User,
  type UserListField,
  userListFields,
} from '@chapter/domain';
import { aDivision, aUser, makeWorld, settle } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { type ListRows, makeListRows } from '../src/lists/list-rows.ts';
import { userList } from '../src/lists/lists.ts';
import { closeOrm, makeOrm } from '../src/orm.ts';
import { runnerOn } from '../src/statement.ts';
import { useWorld } from './support/use-world.ts';

const FIELDS = Object.keys(userListFields) as UserListField[];
const MEMBERS = 60;

/** Short texts of everything that is special to somebody, so that many are equal or parts of one another. */
const text = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', 'ä', 'Σ', 'ς', 'İ', '😀', '\uffee', '%', '_', '\\', "'", '"', '?', '$1', ' '),
  maxLength: 4,
});
const date = fc.constantFrom('1999-12-31', '2000-01-01', '2000-02-29', '1900-01-01');
const instant = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-06-30T23:59:59.999Z');

const member = fc.record({
  firstName: text,
  lastName: text,
  email: fc.option(text),
  groups: fc.subarray(['Leader', 'Guest', 'User'] as const),
  birthdate: fc.option(date),
  isActive: fc.boolean(),
  isStaff: fc.boolean(),
  isSuperuser: fc.boolean(),
  dateJoined: instant,
});

/** A value to compare a field with, most often one that somebody has. */
const valueFor = (people: readonly User[], field: UserListField) => {
  const { kind }: ListField = userListFields[field];
  const stored = people
    .map((user) => listValueOf(userListFields[field], user[field]))
    .filter((value) => value !== null);
  if (kind === 'groups') return fc.constantFrom('Leader', 'Guest', 'User');
  if (kind === 'text') return fc.oneof(fc.constantFrom('', ...stored), text.map(foldCase));
  return fc.constantFrom(...stored);
};

const filterFor = (people: readonly User[]): fc.Arbitrary<Filter<UserListField>> =>
  fc.constantFrom(...FIELDS).chain((field) =>
    fc.constantFrom(...operatorsOf(userListFields[field])).chain((operator: Operator): fc.Arbitrary<unknown> => {
      const value = valueFor(people, field);
      if (operator === 'isnull')
        return fc.record({ field: fc.constant(field), operator: fc.constant(operator), value: fc.boolean() });
      if (operator === 'in') {
        return fc.record({
          field: fc.constant(field),
          operator: fc.constant(operator),
          value: fc.array(value, { maxLength: 4 }),
        });
      }
      return fc.record({ field: fc.constant(field), operator: fc.constant(operator), value });
    }),
  ) as fc.Arbitrary<Filter<UserListField>>;

const orderArbitrary = fc
  .uniqueArray(fc.record({ field: fc.constantFrom(...FIELDS), descending: fc.boolean() }), {
    maxLength: 3,
    selector: ({ field }) => field,
  })
  .map((order) => completeOrder<UserListField>(order));

const queryFor = (people: readonly User[]): fc.Arbitrary<ListQuery<UserListField>> =>
  fc.record({
    filters: fc.array(filterFor(people), { maxLength: 2 }),
    words: fc.array(text.map(foldCase).filter(Boolean), { maxLength: 2 }),
    searched: fc.subarray<UserListField>(['username', 'email', 'firstName', 'lastName'], { minLength: 1 }),
    order: orderArbitrary,
    size: fc.integer({ min: 1, max: MEMBERS + 1 }),
    position: fc.constant(null),
    counted: fc.boolean(),
  });

describe('User lists on PostgreSQL', function () {
  this.timeout(120_000);
  const world = useWorld();
  const twin = makeWorld();
  let close: () => Promise<void>;
  let listRows: ListRows;

  before(() => {
    const { orm, pool } = makeOrm({ url: world().url });
    close = () => closeOrm(orm, pool);
    // With so short a walk, every way to find a page is taken.
    listRows = makeListRows(runnerOn(pool), 7);
  });
  after(() => close());

  it('never differ from the in-memory twin, wherever one goes in them', async () => {
    const division = aDivision();
    const people = await Promise.all(
      fc.sample(member, { numRuns: MEMBERS, seed: 20_260_101 }).map(async ({ email, ...values }, at) => {
        const names = { username: `${'Ab.'[at % 3]}${at}`, email: email === null ? null : `${email}${at}@x` };
        const user = aUser()
          .of(division)
          .with({ ...values, ...names });
        await settle(twin, user);
        return user;
      }),
    );
    // Somebody whom no list of this division may show.
    const stranger = aUser();
    for (const one of [...people, stranger]) await settle(world(), one);
    await settle(twin, stranger);

    const steps = fc.array(fc.constantFrom('next' as const, 'previous' as const), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(queryFor(people), steps, async (query, walk) => {
        let position: Position | null = null;
        for (const way of [...walk, 'next' as const]) {
          const asked: ListQuery<UserListField> = { ...query, position };
          const [page, other, expected]: readonly Page<User>[] = await Promise.all([
            world().users.list(division.id, asked),
            listRows(userList, [division.id], asked),
            twin.users.list(division.id, asked),
          ]);
          expect(page).to.deep.equal(expected);
          expect(other).to.deep.equal(expected);
          position = expected?.[way] ?? null;
        }
      }),
      { numRuns: Number(process.env['FC_RUNS'] ?? 200) },
    );
  });
});
