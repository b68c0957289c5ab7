import { type ListQuery, type ListQueryParts, listQuery, type Page, type Position } from '../../lists/list-query.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';

/** A list to test, and a letter for each item, so that expectations are short strings. */
export interface TestedList<Item, Field extends string> {
  readonly list: (query: ListQuery<Field | 'id'>) => Promise<Page<Item>>;
  readonly letterOf: (item: Item) => string;
}

/** Returns the letters of the items of a page, in order. */
export const letters = async <Item, Field extends string>(
  { list, letterOf }: TestedList<Item, Field>,
  parts: ListQueryParts<Field>,
): Promise<string> => (await list(listQuery(parts))).items.map(letterOf).join('');

/** Throws unless the list has these items, on one page and on pages of every size, forwards and backwards. */
export const expectList = async <Item, Field extends string>(
  tested: TestedList<Item, Field>,
  parts: ListQueryParts<Field>,
  expected: string,
): Promise<void> => {
  const what = JSON.stringify(parts);
  expectEqual(await letters(tested, parts), expected, what);
  for (let size = 1; size <= expected.length; size++) {
    await expectWalk(tested, { ...parts, size }, expected, `${what} by ${size}`);
  }
};

/** Returns a contract case for the order of each field, from the expected letters in ascending and in descending order. */
export const orderCases = <Item, Field extends string>(
  orders: Readonly<Partial<Record<Field, string>>>,
  populate: (world: World) => Promise<TestedList<Item, Field>>,
): readonly ContractCase[] =>
  (Object.entries(orders) as [Field, string][]).map(([field, expected]) =>
    contractCase(`lists by ${field} in both directions, on pages of every size, also backwards`, async (world) => {
      const [ascending = '', descending = ''] = expected.split(' ');
      const tested = await populate(world);
      await expectList(tested, { order: [field] }, ascending);
      await expectList(tested, { order: [`-${field}`] }, descending);
    }),
  );

const expectWalk = async <Item, Field extends string>(
  { list, letterOf }: TestedList<Item, Field>,
  parts: ListQueryParts<Field> & { readonly size: number },
  expected: string,
  what: string,
): Promise<void> => {
  const walk = async (from: Position | null, direction: 'next' | 'previous') => {
    const pages: string[] = [];
    let last: Page<Item> | undefined;
    for (let position = from; pages.length === 0 || position; position = last[direction]) {
      last = await list(listQuery({ ...parts, position }));
      pages.push(last.items.map(letterOf).join(''));
      if (pages.length > expected.length) break;
    }
    return { pages, last };
  };
  const forwards = await walk(null, 'next');
  const chunks = expected.match(new RegExp(`.{1,${parts.size}}`, 'gu')) ?? [];
  expectEqual(forwards.pages, chunks, `${what}, forwards,`);
  if (chunks.length < 2) return expectEqual(forwards.last?.previous, null, `${what}, the previous page`);
  const backwards = await walk(forwards.last?.previous ?? null, 'previous');
  const before = expected.slice(0, parts.size * (chunks.length - 1));
  expectEqual(backwards.pages.toReversed().join(''), before, `${what}, backwards,`);
  const forwardsAgain = await walk(backwards.last?.next ?? null, 'next');
  expectEqual(forwardsAgain.pages.join(''), expected.slice(backwards.pages.at(-1)?.length), `${what}, forwards again,`);
};
