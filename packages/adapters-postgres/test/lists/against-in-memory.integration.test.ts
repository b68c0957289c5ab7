import {
  type ListedUser,
  type ListQuery,
  type ListQueryParts,
  listQuery,
  type Page,
  type Position,
  type User,
  type UserListField,
} from '@chapter/domain/ports';
import { aDivision, aUser, makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Pool } from 'pg';
import { membersOfOne, settleAll } from '../../../../test-support/lists/random-members.ts';
import { positionsFor, queriesFor } from '../../../../test-support/lists/random-queries.ts';
import { runs } from '../../../../test-support/properties.ts';
import { runnerOn } from '../../src/connection/runner.ts';
import { wholeList } from '../../src/exports/list-exports.ts';
import { LIMITS } from '../../src/lists/plan.ts';
import { makeReadPage, onlyFrom } from '../../src/lists/read-page.ts';
import { userList } from '../../src/users/user-rows.ts';
import { storeAll } from '../support/store-all.ts';
import { useReadPool } from '../support/use-read-pool.ts';
import { useWorld } from '../support/use-world.ts';

/** How many users share each value. Some are more than the largest page has, one more than that, or fewer. */
const SHARING = [1, 99, 101, 2, 130, 100, 3];

type List = (position: Position | null) => Promise<Page<ListedUser>>;

/** Follows `next` to the end and `previous` back to the start, and compares each page of both lists. Returns how many there are. */
const expectSameWalk = async (list: List, inMemory: List): Promise<number> => {
  let pages = 0;
  const samePage = async (position: Position | null): Promise<Page<ListedUser>> => {
    const [page, expected] = await Promise.all([list(position), inMemory(position)]);
    expect(page).to.deep.equal(expected);
    pages += 1;
    return expected;
  };
  const walk = async (from: Page<ListedUser>, way: 'next' | 'previous'): Promise<Page<ListedUser>> => {
    let page = from;
    for (let [position, left] = [page[way], 100]; position; position = page[way], left--) {
      if (left === 0) expect.fail('the walk does not end');
      page = await samePage(position);
    }
    return page;
  };
  const end = await walk(await samePage(null), 'next');
  const beginning = await walk(end, 'previous');
  // Pages before the start and after the end are empty, but link back.
  if (end.next) await samePage(end.next);
  if (beginning.previous) await samePage(beginning.previous);
  return pages;
};

/** Returns the ids of the users that the statement of an export selects, in order. */
const exportedIds = async (pool: Pool, divisionId: string, query: ListQuery<UserListField>): Promise<string[]> => {
  const { text, values } = wholeList(userList, divisionId, query);
  const { rows } = await pool.query<(string | null)[]>({ text, values: [...values], rowMode: 'array' });
  return rows.flatMap(([id]) => id ?? []);
};

/** Queries with positions that no page links to, as of made-up cursors or deleted users. */
const placedQueriesFor = (people: readonly User[]) =>
  queriesFor(people).chain((query) =>
    fc.record({ query: fc.constant(query), positions: fc.array(positionsFor(people, query), { maxLength: 3 }) }),
  );

const populations = fc
  .tuple(membersOfOne({ maxLength: 25 }), membersOfOne({ maxLength: 5 }))
  .chain(([people, strangers]) =>
    fc.record({
      people: fc.constant(people),
      strangers: fc.constant(strangers),
      queries: fc.array(placedQueriesFor([...people, ...strangers]), { minLength: 1, maxLength: 5 }),
    }),
  );

describe('User lists on PostgreSQL', function () {
  this.timeout(600_000);
  const world = useWorld();
  const pool = useReadPool(world);

  // With the limits of the service, and with limits so small that all strategies run.
  for (const small of [undefined, 1, 2]) {
    it(`return the same pages as the in-memory adapter${small ? ` when the first strategies read ${small} rows` : ''}`, async () => {
      const readPage = makeReadPage(onlyFrom(runnerOn(pool())), { ...LIMITS, ...(small ? { short: 1, small } : {}) });
      await fc.assert(
        fc
          .asyncProperty(populations, async ({ people, strangers, queries }) => {
            const inMemory = makeWorld();
            await storeAll(world(), [...people, ...strangers]);
            await settleAll(inMemory, [...people, ...strangers]);
            const division = (people[0] ?? strangers[0])?.division.id ?? world().ids.next();
            for (const { query, positions } of queries) {
              const at = (position: Position | null): ListQuery<UserListField> => ({ ...query, position });
              const list: List = (position) => readPage(userList, division, at(position));
              const reference: List = (position) => inMemory.users.list(division, at(position));
              await expectSameWalk(list, reference);
              const { items } = await inMemory.users.list(division, { ...query, size: 100 });
              expect(await exportedIds(pool(), division, query)).to.deep.equal(items.map(({ id }) => id));
              for (const place of positions) expect(await list(place)).to.deep.equal(await reference(place));
            }
          })
          .beforeEach(() => world().empty()),
        runs(40),
      );
    });
  }

  describe('in an order whose first field many share', () => {
    const inMemory = makeWorld();
    const division = aDivision();
    const people: readonly User[] = SHARING.flatMap((count, group) =>
      Array.from({ length: count }, (_, at) => ({
        ...aUser().of(division),
        firstName: `name ${(at * 7) % 10}`,
        lastName: `shared ${group}`,
        birthdate: group === 4 ? null : `2000-01-0${group + 1}`,
        isActive: at % 3 !== 0,
        revision: '1.1',
      })),
    );
    before(() => settleAll(inMemory, people));
    beforeEach(() => storeAll(world(), people));

    const active = { field: 'isActive', operator: 'eq', value: true } as const;
    const queries: readonly [title: string, query: ListQueryParts<UserListField>][] = [
      ['ascending', { order: ['lastName', 'firstName'] }],
      ['descending, then ascending', { order: ['-lastName', 'firstName'] }],
      ['with a filter', { order: ['lastName', '-firstName'], filters: [active] }],
      ['with nulls', { order: ['-birthdate', 'firstName'] }],
    ];
    for (const [title, query] of queries) {
      for (const size of [37, 100]) {
        it(`have the same pages of ${size} rows, forwards and backwards: ${title}`, async () => {
          const readPage = makeReadPage(onlyFrom(runnerOn(pool())), { short: 20, small: 120, large: 1000 });
          const at = (position: Position | null) => listQuery<UserListField>({ ...query, size, position });
          const list: List = (position) => readPage(userList, division.id, at(position));
          expect(await expectSameWalk(list, (position) => inMemory.users.list(division.id, at(position)))).to.be.above(
            4,
          );
        });
      }
    }
  });
});
