import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { Client, ResponseJson } from './client.ts';

/** Pages to follow from the first page of a query in one direction. */
const MAX_STEPS = 3;

/** What a comparison has compared so far. */
export interface ComparedLists {
  /** Requests of a first page. */
  readonly queries: number;
  /** Pages of these queries, which are the same on both services. */
  readonly pages: number;
  /** Pages with rows. */
  readonly filledPages: number;
  /** Queries that both services refuse with status 422 and the same codes. */
  readonly refusals: number;
}

/** Returns the parts of a response that must be the same. The texts of problems may differ. */
const comparedParts = ({ status, body }: Awaited<ReturnType<Client>>): ResponseJson => {
  if (status === 200) return { status, body };
  const faults = (body.errors ?? []).map(({ field, code }: ResponseJson) => ({ field, code }));
  return { status, code: body.code, faults };
};

/**
 * Compares lists of two services on the same database, whose clients have the same rights. `compare` requests the first page of
 * a query from both, and follows the links of the earlier service a few pages forwards and one page backwards. Both services
 * must respond with the same status, rows, order, count and links. The links contain cursors, so that each service accepts the
 * cursors of the other.
 */
export const makeListComparison = (
  present: Client,
  earlier: Client,
): { readonly compare: (path: string) => Promise<void>; readonly compared: () => ComparedLists } => {
  let [queries, pages, filledPages, refusals] = [0, 0, 0, 0];

  const requestPage = async (path: string): Promise<ResponseJson> => {
    const [response, expected] = await Promise.all([present('GET', path), earlier('GET', path)]);
    const parts = [comparedParts(response), comparedParts(expected)] as const;
    // Chai takes many times longer, but shows the difference.
    if (!isDeepStrictEqual(...parts)) expect(parts[0], path).to.deep.equal(parts[1]);
    // A service that is overloaded or broken refuses any query.
    if (expected.status !== 200 && expected.status !== 422)
      expect.fail(`both respond with ${expected.status} to ${path}`);
    if (expected.status === 422) return undefined;
    pages += 1;
    if (expected.body.results.length > 0) filledPages += 1;
    return expected.body;
  };

  const followLink = async (path: string): Promise<ResponseJson> =>
    (await requestPage(path)) ?? expect.fail(`both services refuse their own link ${path}`);

  const compare = async (path: string): Promise<void> => {
    queries += 1;
    let page = await requestPage(path);
    if (page === undefined) refusals += 1;
    for (let step = 0; step < MAX_STEPS && page?.next; step += 1) page = await followLink(page.next);
    if (page?.previous) await followLink(page.previous);
  };

  return { compare, compared: () => ({ queries, pages, filledPages, refusals }) };
};
