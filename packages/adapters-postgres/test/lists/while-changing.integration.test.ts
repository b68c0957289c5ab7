import {
  type ListedUser,
  type ListQuery,
  OPERATOR,
  type Page,
  type Position,
  type User,
  type UserListField,
} from '@chapter/domain';
import { makeWorld, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { runs } from '../../../../test-support/properties.ts';
import { runnerOn } from '../../src/connection/runner.ts';
import { makeReadPage } from '../../src/lists/read-page.ts';
import { userList } from '../../src/users/user-rows.ts';
import { useReadPool } from '../support/use-read-pool.ts';
import { type PostgresWorld, useWorld } from '../support/use-world.ts';
import { divisions, settleAll, storeAll } from './random-members.ts';
import { queriesFor } from './random-queries.ts';

type Change = (world: PostgresWorld) => Promise<unknown>;

/** What neither an order nor a filter of the query speaks of can change without a row's moving. */
const unmoved = ({ order, filters }: ListQuery<UserListField>, user: User): User => {
  const asked = new Set([...order, ...filters].map(({ field }) => field));
  return { ...user, isStaff: asked.has('isStaff') ? user.isStaff : !user.isStaff };
};

const scenarios = fc
  .tuple(divisions({ minLength: 1, maxLength: 20 }), divisions({ maxLength: 10 }), divisions({ maxLength: 10 }))
  .chain(([staying, leaving, coming]) =>
    fc.record({
      staying: fc.constant(staying),
      leaving: fc.constant(leaving),
      coming: fc.constant(coming),
      query: queriesFor([...staying, ...leaving, ...coming]),
      size: fc.integer({ min: 1, max: 4 }),
      // Which change happens beside which page; some happen before it, some after it, as it goes.
      order: fc.infiniteStream(fc.nat()),
    }),
  );

describe('User lists on PostgreSQL, while others change what is in them,', function () {
  this.timeout(600_000);
  const world = useWorld();
  const pool = useReadPool(world);

  it('give whoever was there all along once, in their order, there and back', async () => {
    await fc.assert(
      fc
        .asyncProperty(scenarios, async ({ staying, leaving, coming, query: drawn, size, order }) => {
          const query: ListQuery<UserListField> = { ...drawn, size, counted: false };
          const division = staying[0]?.division ?? { id: '', name: '' };
          const inDivision = (people: readonly User[]) => people.map((user) => ({ ...user, division }));
          await storeAll(world(), [...staying, ...inDivision(leaving)]);
          const inMemory = makeWorld();
          await settleAll(inMemory, staying);
          const whole = await inMemory.users.list(division.id, { ...query, size: 1000 });
          const expected = whole.items.map(({ id }) => id);

          const changes: Change[] = [
            ...inDivision(coming).map(
              (user): Change =>
                (at) =>
                  storeUser(at, user),
            ),
            ...leaving.map(
              (user): Change =>
                (at) =>
                  at.users.delete(OPERATOR, user.id, () => {}),
            ),
            ...staying.map(
              (user): Change =>
                (at) =>
                  at.users.update(OPERATOR, user.id, (locked) => ({
                    user: unmoved(query, locked.user),
                    endsSessions: false,
                  })),
            ),
          ];
          const readPage = makeReadPage(runnerOn(pool()), { short: 1, small: 2, large: 1000 });
          const visit = async (position: Position | null): Promise<Page<ListedUser>> => {
            const [change] = changes.splice(order.next().value % (changes.length + 1), 1);
            const [page] = await Promise.all([
              readPage(userList, { divisionId: division.id }, { ...query, position }),
              change?.(world()),
            ]);
            return page;
          };
          const walk = async (
            from: Page<ListedUser>,
            way: 'next' | 'previous',
          ): Promise<readonly Page<ListedUser>[]> => {
            const pages = [from];
            for (let position = from[way]; position; position = pages.at(-1)?.[way] ?? null) {
              pages.push(await visit(position));
              if (pages.length > 100) expect.fail('the walk does not end');
            }
            return pages;
          };
          const there = await walk(await visit(null), 'next');
          const end = there.at(-1);
          const back = end ? await walk(end, 'previous') : [];
          for (const pages of [there, back.toReversed()]) {
            const met = pages.flatMap(({ items }) => items.map(({ id }) => id));
            expect(met.filter((id) => expected.includes(id))).to.deep.equal(expected);
            expect(new Set(met).size).to.equal(met.length);
          }
        })
        .beforeEach(() => world().empty()),
      runs(60),
    );
  });
});
