import { type ListQuery, type ListQueryParts, listQuery, type Page, type Position } from '../../lists/list-query.ts';
import { expectEqual } from './expect.ts';

/** A list that is asked, and what its items are called in expectations: one letter each. */
export interface AskedList<Item, Field extends string> {
  readonly list: (query: ListQuery<Field | 'id'>) => Promise<Page<Item>>;
  readonly letterOf: (item: Item) => string;
}

/** The letters of the items of a page, in their order. */
export const letters = async <Item, Field extends string>(
  { list, letterOf }: AskedList<Item, Field>,
  asked: ListQueryParts<Field>,
): Promise<string> => (await list(listQuery(asked))).items.map(letterOf).join('');

/** Throws unless this is the whole list, on one page and on pages of every size, walked to the end and back. */
export const expectList = async <Item, Field extends string>(
  asked: AskedList<Item, Field>,
  of: ListQueryParts<Field>,
  expected: string,
): Promise<void> => {
  const what = JSON.stringify(of);
  expectEqual(await letters(asked, of), expected, what);
  for (let size = 1; size <= expected.length; size++) {
    await expectWalk(asked, { ...of, size }, expected, `${what} by ${size}`);
  }
};

const expectWalk = async <Item, Field extends string>(
  { list, letterOf }: AskedList<Item, Field>,
  of: ListQueryParts<Field> & { readonly size: number },
  expected: string,
  what: string,
): Promise<void> => {
  const go = async (from: Position | null, way: 'next' | 'previous') => {
    const pages: string[] = [];
    let last: Page<Item> | undefined;
    for (let position = from; pages.length === 0 || position; position = last[way]) {
      last = await list(listQuery({ ...of, position }));
      pages.push(last.items.map(letterOf).join(''));
      if (pages.length > expected.length) break;
    }
    return { pages, last };
  };
  const forwards = await go(null, 'next');
  const chunks = expected.match(new RegExp(`.{1,${of.size}}`, 'gu')) ?? [];
  expectEqual(forwards.pages, chunks, `${what}, forwards,`);
  if (chunks.length < 2) return expectEqual(forwards.last?.previous, null, `${what}, the way back`);
  const back = await go(forwards.last?.previous ?? null, 'previous');
  const before = expected.slice(0, of.size * (chunks.length - 1));
  expectEqual(back.pages.toReversed().join(''), before, `${what}, backwards,`);
  const again = await go(back.last?.next ?? null, 'next');
  expectEqual(again.pages.join(''), expected.slice(back.pages.at(-1)?.length), `${what}, forwards again,`);
};
