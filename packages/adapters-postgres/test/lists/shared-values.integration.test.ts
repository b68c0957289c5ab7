import {
  type ListQueryParts,
  listQuery,
  type Page,
  type Position,
  type User,
  type UserListField,
} from '@chapter/domain/ports';
import { aDivision, aUser, makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';
import { settleAll } from '../../../../test-support/lists/random-members.ts';
import { runnerOn } from '../../src/connection/runner.ts';
import { makeReadPage, onlyFrom } from '../../src/lists/read-page.ts';
import { userList } from '../../src/users/user-rows.ts';
import { storeAll } from '../support/store-all.ts';
import { useReadPool } from '../support/use-read-pool.ts';
import { useWorld } from '../support/use-world.ts';

/** How many users share each value. Some are more than the largest page has, one more than that, or fewer. */
const SHARING = [1, 99, 101, 2, 130, 100, 3];

describe('User lists in an order whose first field many share', () => {
  const world = useWorld();
  const pool = useReadPool(world);
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
      it(`have the same pages as in memory, forwards and backwards, ${size} rows each: ${title}`, async () => {
        const readPage = makeReadPage(onlyFrom(runnerOn(pool())), { short: 20, small: 120, large: 1000 });
        const whole = listQuery<UserListField>({ ...query, size });
        const samePage = async (position: Position | null): Promise<Page<unknown>> => {
          const page = await readPage(userList, division.id, { ...whole, position });
          expect(page).to.deep.equal(await inMemory.users.list(division.id, { ...whole, position }));
          return page;
        };
        let page = await samePage(null);
        let pages = 1;
        for (; page.next; pages++) page = await samePage(page.next);
        expect(pages).to.be.greaterThan(2);
        for (; page.previous && pages > 0; pages--) page = await samePage(page.previous);
      });
    }
  }
});
