import type { Outcome } from '../../packages/domain/src/index.ts';
import type { SmallWorld, View } from './worlds.ts';

/** Sends a GET request as a fixed caller. */
export type Get = (path: string) => Promise<{ readonly status: number; readonly text: string }>;

interface List {
  readonly results: readonly { readonly id: string }[];
  readonly count: number;
  readonly next: string | null;
}

const OUTCOMES: Readonly<Record<number, Outcome>> = {
  200: 'allowed',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
};

/** Reads a view through the API. Throws on a response that is no outcome of the policy. */
export const viewByHttp = async (get: Get, { divisions, people }: SmallWorld): Promise<View> => {
  const read = async (path: string): Promise<{ readonly outcome: Outcome; readonly text: string }> => {
    const { status, text } = await get(path);
    const outcome = OUTCOMES[status];
    if (!outcome) throw new Error(`${path}: ${status} ${text}`);
    return { outcome, text };
  };
  const list = async (path: string, filter = ''): Promise<readonly string[] | Outcome> => {
    const { outcome, text } = await read(`${path}?page_size=100&count=true${filter}`);
    if (outcome !== 'allowed') return outcome;
    const { results, count, next } = JSON.parse(text) as List;
    if (count !== results.length || next !== null) throw new Error(`${path}: ${text}`);
    return results.map(({ id }) => id).toSorted();
  };
  const ids = divisions.map(({ id }) => id).join(',');
  const view: Record<string, readonly string[] | Outcome> = {
    'list users': await list('/api/users/'),
    'list divisions': await list('/api/divisions/', `&id__in=${ids}`),
  };
  for (const { id } of divisions) {
    view[`list users of ${id}`] = await list(`/api/division/${id}/users/`);
    view[`get division ${id}`] = (await read(`/api/divisions/${id}/`)).outcome;
  }
  for (const { id } of people) view[`get user ${id}`] = (await read(`/api/users/${id}/`)).outcome;
  return view;
};
