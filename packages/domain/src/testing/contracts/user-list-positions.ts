import { listValueOf, type UserListField, userListFields } from '../../lists/list-fields.ts';
import { listQuery, type Position } from '../../lists/list-query.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';
import { letters } from './list-walk.ts';
import { populate } from './user-list-population.ts';

// In this order, the users are c f b e, then a and d, which have no email.
const order = ['email'] as const;

const positionOf = (email: string | null, id: string, side: Position['side'], inclusive = false): Position => ({
  side,
  inclusive,
  values: [email, id],
});

/** Contract cases for the positions of the user list. */
export const userListPositions: readonly ContractCase[] = [
  contractCase('returns positions after the last and before the first item, and null at the ends', async (world) => {
    const { idOf, list } = await populate(world);
    const positionsOf = async (size: number, position: Position | null) => {
      const { next, previous } = await list(listQuery({ order, size, position }));
      return { next, previous };
    };
    const at = (email: string | null, id: string) => ({
      before: positionOf(email, id, 'before'),
      after: positionOf(email, id, 'after'),
    });
    const [c, f] = [at('a%b@x.org', idOf('c')), at('aab@x.org', idOf('f'))];
    const [b, d] = [at('b@x.org', idOf('b')), at(null, idOf('d'))];
    expectEqual(await positionsOf(6, null), { next: null, previous: null });
    expectEqual(await positionsOf(2, null), { next: f.after, previous: null });
    expectEqual(await positionsOf(1, f.after), { next: b.after, previous: b.before });
    expectEqual(await positionsOf(4, f.after), { next: null, previous: b.before });
    expectEqual(await positionsOf(2, b.before), { next: f.after, previous: null });
    expectEqual(await positionsOf(1, b.before), { next: f.after, previous: f.before });
    expectEqual(await positionsOf(9, d.before), { next: positionOf(null, idOf('a'), 'after'), previous: null });
    // A page read from a position always has a position in the opposite direction, even if no row precedes the page.
    expectEqual(await positionsOf(9, { ...c.after, values: ['', idOf('a')] }), { next: null, previous: c.before });
  }),

  contractCase('returns the values of the row next to a position, in the order of the query', async (world) => {
    const { idOf, list } = await populate(world);
    const fields = Object.keys(userListFields).filter((field) => field !== 'id') as UserListField[];
    const { items, next } = await list(listQuery({ order: fields, size: 1 }));
    const [first] = items;
    const values = first && [...fields, 'id' as const].map((field) => listValueOf(userListFields[field], first[field]));
    expectEqual(next, { side: 'after', inclusive: false, values });
    const groups = await list(listQuery({ order: ['groups'], size: 4 }));
    expectEqual(groups.next?.values, ['02', idOf('c')]);
  }),

  contractCase('includes the row of an inclusive position, and accepts a position without a row', async (world) => {
    const people = await populate(world);
    const at = (...position: Parameters<typeof positionOf>) =>
      letters(people, { order, size: 2, position: positionOf(...position) });
    const [b, a] = [people.idOf('b'), people.idOf('a')];
    expectEqual([await at('b@x.org', b, 'after'), await at('b@x.org', b, 'after', true)], ['ea', 'be']);
    expectEqual([await at('b@x.org', b, 'before'), await at('b@x.org', b, 'before', true)], ['cf', 'fb']);
    expectEqual([await at(null, a, 'after'), await at(null, a, 'after', true)], ['d', 'ad']);
    expectEqual([await at(null, a, 'before'), await at(null, a, 'before', true)], ['be', 'ea']);
    for (const inclusive of [true, false]) {
      expectEqual(await at('b@x.org', people.idOf('a'), 'after', inclusive), 'be');
      expectEqual(await at('b@x.org', people.idOf('c'), 'before', inclusive), 'fb');
      expectEqual(await at('m', b, 'after', inclusive), 'ea');
      expectEqual(await at('', b, 'after', inclusive), 'cf');
    }
  }),

  contractCase('leads from an empty page back to the rows next to it', async (world) => {
    const { idOf, list, letterOf } = await populate(world);
    const end = positionOf(null, idOf('d'), 'after');
    const beyond = await list(listQuery({ order, size: 2, position: end }));
    expectEqual(beyond, { items: [], next: null, previous: { ...end, side: 'before', inclusive: true } });
    const last = await list(listQuery({ order, size: 2, position: beyond.previous }));
    expectEqual(last.items.map(letterOf), ['a', 'd']);
    const begin = positionOf('a%b@x.org', idOf('c'), 'before');
    const ahead = await list(listQuery({ order, size: 2, position: begin }));
    expectEqual(ahead, { items: [], next: { ...begin, side: 'after', inclusive: true }, previous: null });
    const first = await list(listQuery({ order, size: 2, position: ahead.next }));
    expectEqual(first.items.map(letterOf), ['c', 'f']);
  }),
];
