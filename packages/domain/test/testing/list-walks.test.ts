import {
  type ListedUser,
  type ListQuery,
  OPERATOR,
  type Page,
  type Position,
  type UserListField,
} from '@chapter/domain';
import { aDivision, aUser, makeWorld, storeUser, type World } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Member, populations, queries } from './list-arbitraries.ts';

type Query = ListQuery<UserListField>;

const settleAll = async (world: World, members: readonly Member[]) => {
  const division = aDivision();
  await storeUser(world, aUser());
  for (const values of members) await storeUser(world, aUser().of(division).with(values));
  return division.id;
};

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
      fc.asyncProperty(populations, queries, async (members, query: Query) => {
        const world = makeWorld();
        const division = await settleAll(world, members);
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
        expect(
          idsOf(back.toReversed())
            .flat()
            .concat(idsOf([last]).flat()),
        ).to.deep.equal(all);
      }),
    ));

  it('returns each row that exists throughout once, while others are inserted and deleted', () =>
    fc.assert(
      fc.asyncProperty(
        populations,
        populations,
        queries,
        fc.infiniteStream(fc.boolean()),
        async (stay, come, query, coins) => {
          const world = makeWorld();
          const division = await settleAll(world, stay);
          const staying = (await world.users.list(division, { ...query, size: 100 })).items.map(({ id }) => id);
          const [there] = (await world.users.list(division, { ...query, size: 1 })).items;
          const arrivals = come.map((values, at) =>
            aUser()
              .of(there?.division ?? aDivision())
              .with({ ...values, username: `new-${at}`, email: null }),
          );
          const present: string[] = [];
          const list = async (position: Position | null) => {
            const [arrival, leaver] = [coins.next().value && arrivals.shift(), coins.next().value && present.shift()];
            if (arrival) present.push((await storeUser(world, arrival)).id);
            if (leaver) await world.users.delete(OPERATOR, leaver, () => {});
            return world.users.list(division, { ...query, position });
          };
          const pages = await walk(null, 'next', list);
          const met = idsOf(pages).flat();
          expect(met.filter((id) => staying.includes(id))).to.deep.equal(staying);
          expect(new Set(met).size).to.equal(met.length);
        },
      ),
    ));
});
