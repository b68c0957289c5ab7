import { expect } from 'chai';
import type { Client, ResponseJson } from '../test-support/client.ts';
import { makeListComparison } from '../test-support/compare-lists.ts';

type Responses = Readonly<Record<string, { readonly status: number; readonly body: ResponseJson }>>;

const page = (ids: readonly number[], next: string | null = null, previous: string | null = null) => ({
  status: 200,
  body: { results: ids.map((id) => ({ id })), next, previous },
});
const refusal = (field: string, detail: string) => ({
  status: 422,
  body: { code: 'validation_failed', errors: [{ field, code: 'too_short', detail }] },
});
const clientOf =
  (responses: Responses): Client =>
  async (_method, path) => ({ headers: new Headers(), ...(responses[path] ?? expect.fail(`no response for ${path}`)) });

describe('The comparison of lists of two services', () => {
  const pages = {
    '/first': page([1, 2], '/second'),
    '/second': page([3], null, '/back'),
    '/back': page([1, 2], '/second'),
    '/empty': page([]),
    '/refused': refusal('id__in', 'is empty'),
  };

  it('follows links forwards and backwards, and counts what it compares', async () => {
    const reworded = { ...pages, '/refused': refusal('id__in', 'must not be empty') };
    const { compare, compared } = makeListComparison(clientOf(reworded), clientOf(pages));
    for (const path of ['/first', '/empty', '/refused']) await compare(path);
    expect(compared()).to.deep.equal({ queries: 3, pages: 4, filledPages: 3, refusals: 1 });
  });

  const failing = { '/first': { status: 503, body: { code: 'unavailable' } } };
  const closed = { '/second': refusal('cursor', 'is not valid') };
  for (const [title, present, message, earlier] of [
    ['other rows', { '/first': page([1, 3], '/second') }, /^\/first: expected /],
    ['another order', { '/first': page([2, 1], '/second') }, /^\/first: expected /],
    ['another end', { '/first': page([1, 2], null) }, /^\/first: expected /],
    ['another status', { '/first': refusal('cursor', 'is not valid') }, /^\/first: expected /],
    ['another link of a later page', { '/second': page([3], '/third', '/back') }, /^\/second: expected /],
    ['another page backwards', { '/back': page([2], '/second') }, /^\/back: expected /],
    [
      'a refusal of another field',
      { '/first': refusal('id', 'is empty') },
      /^\/first: /,
      { '/first': pages['/refused'] },
    ],
    ['a failure of both services', failing, /^both respond with 503 to \/first$/, failing],
    ['a link that both services refuse', closed, /^both services refuse their own link \/second$/, closed],
  ] as readonly (readonly [string, Responses, RegExp, Responses?])[]) {
    it(`rejects ${title}`, async () => {
      const { compare } = makeListComparison(clientOf({ ...pages, ...present }), clientOf({ ...pages, ...earlier }));
      const outcome = await compare('/first').then(String, (error: Error) => error.message);
      expect(outcome).to.match(message);
    });
  }
});
