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

/** Compares one query of two services with the given responses, and returns the message of the difference, if any. */
const differenceOf = async (present: Responses, earlier: Responses, path = '/first'): Promise<string | undefined> => {
  const { compare } = makeListComparison(clientOf(present), clientOf(earlier));
  return compare(path).then(
    () => undefined,
    (error: Error) => error.message,
  );
};

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

  it('follows a bounded number of pages', async () => {
    const endless = { '/first': page([1], '/first') };
    const { compare, compared } = makeListComparison(clientOf(endless), clientOf(endless));
    await compare('/first');
    expect(compared().pages).to.equal(4);
  });

  it('rejects other rows, another order, another end, and another status on each page', async () => {
    const others: readonly Responses[] = [
      { '/first': page([1, 3], '/second') },
      { '/first': page([2, 1], '/second') },
      { '/first': page([1, 2], null) },
      { '/first': refusal('cursor', 'is not valid') },
      { '/second': page([3], '/third', '/back') },
      { '/back': page([2], '/second') },
    ];
    for (const other of others) {
      const [path] = Object.keys(other);
      expect(await differenceOf({ ...pages, ...other }, pages)).to.match(new RegExp(`^${path}: expected `));
    }
  });

  it('rejects refusals of other fields', async () => {
    const other = { ...pages, '/refused': refusal('id', 'is empty') };
    expect(await differenceOf(other, pages, '/refused')).to.match(/^\/refused: expected /);
  });

  it('rejects failures, even if both services fail', async () => {
    const failing = { '/first': { status: 503, body: { code: 'unavailable' } } };
    expect(await differenceOf(failing, failing)).to.equal('both respond with 503 to /first');
  });

  it('rejects a link that both services refuse', async () => {
    const refused = { ...pages, '/second': refusal('cursor', 'is not valid') };
    expect(await differenceOf(refused, refused)).to.equal('both services refuse their own link /second');
  });
});
