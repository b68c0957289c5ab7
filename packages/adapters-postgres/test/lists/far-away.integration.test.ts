import { type ListQueryParts, listQuery, type User, type UserListField } from '@chapter/domain';
import { aDivision, aUser, makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { makePool } from '../../src/connection/pool.ts';
import { runnerOn } from '../../src/connection/runner.ts';
import { makeReadPage } from '../../src/lists/read-page.ts';
import { userList } from '../../src/users/user-rows.ts';
import { useWorld } from '../support/use-world.ts';
import { settleAll, storeAll } from './random-members.ts';

describe('User lists whose first rows differ from the others', () => {
  const world = useWorld();
  const inMemory = makeWorld();
  const division = aDivision();
  let pool: Pool;

  const named = (letter: string, count: number): readonly User[] =>
    Array.from({ length: count }, (_, at) => ({
      ...aUser().of(division),
      username: `${letter}-${String(at).padStart(2, '0')}`,
      lastName: letter === 'b' ? 'Rare' : 'Frequent',
      groups: letter === 'b' ? ['Guest'] : ['User'],
      revision: '1.1',
    }));
  // There are enough users whose name starts with c that the short and the small scan do not reach the end.
  const people = [...named('a', 8), ...named('b', 3), ...named('c', 30)];

  before(() => {
    pool = makePool({ url: world().url, poolSize: 1 });
    return settleAll(inMemory, people);
  });
  beforeEach(() => storeAll(world(), people));
  after(() => pool?.end());

  const queries: readonly [string, ListQueryParts<UserListField>][] = [
    ['a frequent word', { words: ['c-'] }],
    ['a frequent word with trigrams', { words: ['frequent'] }],
    ['a rare word', { words: ['rare'] }],
    ['a rare group', { filters: [{ field: 'groups', operator: 'eq', value: 'Guest' }] }],
    ['a word without matches', { words: ['nowhere'] }],
    ['an order whose first field many share', { order: ['lastName', '-username'] }],
  ];
  for (const [title, query] of queries) {
    for (const size of [1, 5, 20, 100]) {
      it(`return all matching users, ${size} per page: ${title}`, async () => {
        const readPage = makeReadPage(runnerOn(pool), { short: 1, small: 2, large: 100 });
        const whole = listQuery<UserListField>({
          searched: ['username', 'lastName'],
          order: ['username'],
          size,
          counted: true,
          ...query,
        });
        for (let position = whole.position, left = 100; left > 0; left--) {
          const page = await readPage(userList, { divisionId: division.id }, { ...whole, position });
          expect(page).to.deep.equal(await inMemory.users.list(division.id, { ...whole, position }));
          if (!page.next) return;
          position = page.next;
        }
        expect.fail('the walk does not end');
      });
    }
  }
});
