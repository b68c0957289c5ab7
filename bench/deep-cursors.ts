/**
 * Cursors of a list around nine tenths of its length, found as every client finds them: from page to page.
 */
export const walkToCursors = async (url: string, token: string, length: number): Promise<readonly string[]> => {
  const step = Math.max(1, Math.min(100, Math.floor(length / 100)));
  const cursors: string[] = [];
  let path: string | null = `/api/users/?page_size=${step}`;
  for (let passed = step; path !== null && passed < length * 0.91; passed += step) {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    const page = (await answer.json()) as { readonly next: string | null };
    path = page.next;
    const cursor: string | null = path && new URLSearchParams(path.split('?')[1]).get('cursor');
    if (cursor && passed >= length * 0.89) cursors.push(cursor);
  }
  return cursors;
};
