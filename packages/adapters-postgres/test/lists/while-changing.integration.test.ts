import {
  type ListedUser,
  type ListQuery,
  OPERATOR,
  type Page,
  type Position,
  type User,
  type UserListField,
} from '@chapter/domain/ports';
import { decideChange, deleteUser, makeWorld, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { membersOfOne, settleAll } from '../../../../test-support/lists/random-members.ts';
import { queriesFor } from '../../../../test-support/lists/random-queries.ts';
import { runs } from '../../../../test-support/properties.ts';
import { runnerOn } from '../../src/connection/runner.ts';
import { makeReadPage, onlyFrom } from '../../src/lists/read-page.ts';
import { userList } from '../../src/users/user-rows.ts';
import { storeAll } from '../support/store-all.ts';
import { useReadPool } from '../support/use-read-pool.ts';
import { type PostgresWorld, useWorld } from '../support/use-world.ts';

type Change = (world: PostgresWorld) => Promise<unknown>;

/** Changes a field that neither the order nor a filter uses, so that the row does not move. */
const changeUnused = ({ order, filters }: ListQuery<UserListField>, user: User): User => {
  const used = new Set([...order, ...filters].map(({ field }) => field));
  return { ...user, isStaff: used.has('isStaff') ? user.isStaff : !user.isStaff };
};

const scenarios = fc
  .tuple(
    membersOfOne({ minLength: 1, maxLength: 20 }),
    membersOfOne({ maxLength: 10 }),
    membersOfOne({ maxLength: 10 }),
  )
  .chain(([staying, leaving, coming]) =>
    fc.record({
      staying: fc.constant(staying),
      leaving: fc.constant(leaving),
      coming: fc.constant(coming),
      query: queriesFor([...staying, ...leaving, ...coming]),
      size: fc.integer({ min: 1, max: 4 }),
      // Determines which change happens during which page. Their order in time is random.
      order: fc.infiniteStream(fc.nat()),
    }),
  );

describe('User lists on PostgreSQL during concurrent changes', function () {
  this.timeout(600_000);
  const world = useWorld();
  const pool = useReadPool(world);

  it('return each unchanged user once, in order, forwards and backwards', async () => {
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
                  deleteUser(at, user.id),
            ),
            ...staying.map(
              (user): Change =>
                (at) =>
                  at.users.write(OPERATOR, user, (locked) =>
                    decideChange(locked, { values: changeUnused(query, locked.user), force: true }),
                  ),
            ),
          ];
          const readPage = makeReadPage(onlyFrom(runnerOn(pool())), { short: 1, small: 2, large: 1000 });
          const visit = async (position: Position | null): Promise<Page<ListedUser>> => {
            const [change] = changes.splice(order.next().value % (changes.length + 1), 1);
            const [page] = await Promise.all([
              readPage(userList, division.id, { ...query, position }),
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
