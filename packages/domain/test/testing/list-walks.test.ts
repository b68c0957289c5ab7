import {
  type ListedUser,
  type ListQuery,
  type Page,
  type Position,
  type User,
  type UserListField,
} from '@chapter/domain';
import { aDivision, deleteUser, makeWorld, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { membersOfOne, settleAll } from '../../../../test-support/lists/random-members.ts';
import { queriesFor } from '../../../../test-support/lists/random-queries.ts';

type Query = ListQuery<UserListField>;

const withSmallPages = (query: Query): Query => ({ ...query, size: (query.size % 5) + 1 });

/** A division of at least one member, others who may join it, and a query of its list. */
const scenarios = fc
  .tuple(membersOfOne({ minLength: 1, maxLength: 14 }), membersOfOne({ maxLength: 14 }))
  .chain(([members, others]) =>
    fc.record({
      members: fc.constant(members),
      others: fc.constant(others),
      query: queriesFor([...members, ...others]).map(withSmallPages),
      coins: fc.infiniteStream(fc.boolean()),
    }),
  );

const walk = async (
  from: Position | null,
  direction: 'next' | 'previous',
  list: (position: Position | null) => Promise<Page<ListedUser>>,
) => {
  const pages = [await list(from)];
  for (let position = pages[0]?.[direction]; position; position = pages.at(-1)?.[direction]) {
    pages.push(await list(position));
    if (pages.length > 50) expect.fail('the walk does not end');
  }
  return pages;
};

const idsOf = (pages: readonly Page<ListedUser>[]) => pages.map(({ items }) => items.map(({ id }) => id));

describe('A walk through a list of the in-memory adapter', () => {
  it('returns each row once, in one order, forwards and backwards, on full pages', () =>
    fc.assert(
      fc.asyncProperty(scenarios, async ({ members, others, query }) => {
        const world = makeWorld();
        await settleAll(world, [...members, ...others]);
        const division = members[0]?.division.id ?? '';
        const whole = await world.users.list(division, { ...query, size: 100, counted: true });
        const all = whole.items.map(({ id }) => id);
        expect([whole.next, whole.previous, whole.count]).to.deep.equal([null, null, all.length]);
        expect(new Set(all).size).to.equal(all.length);

        const list = (position: Position | null) => world.users.list(division, { ...query, position });
        const there = await walk(null, 'next', list);
        expect(idsOf(there).flat()).to.deep.equal(all);
        expect(there.slice(0, -1).every(({ items }) => items.length === query.size)).to.equal(true);
        const last = there.at(-1);
        if (!last?.previous) return;
        const back = await walk(last.previous, 'previous', list);
        expect(idsOf([...back.toReversed(), last]).flat()).to.deep.equal(all);
      }),
    ));

  it('returns each row that exists throughout once, while others are inserted and deleted', () =>
    fc.assert(
      fc.asyncProperty(scenarios, async ({ members, others, query, coins }) => {
        const world = makeWorld();
        await settleAll(world, members);
        const division = members[0]?.division ?? aDivision();
        const staying = (await world.users.list(division.id, { ...query, size: 100 })).items.map(({ id }) => id);
        const arrivals = others.map((user): User => ({ ...user, division }));
        const present: string[] = [];
        const list = async (position: Position | null) => {
          const [arrival, leaver] = [coins.next().value && arrivals.shift(), coins.next().value && present.shift()];
          if (arrival) present.push((await storeUser(world, arrival)).id);
          if (leaver) await deleteUser(world, leaver);
          return world.users.list(division.id, { ...query, position });
        };
        const met = idsOf(await walk(null, 'next', list)).flat();
        expect(met.filter((id) => staying.includes(id))).to.deep.equal(staying);
        expect(new Set(met).size).to.equal(met.length);
      }),
    ));
});
