import {
  type Actor,
  actorOf,
  DomainError,
  type ListQuery,
  listQuery,
  makeUseCases,
  type OpenExport,
  type Outcome,
} from '../../packages/domain/src/api/index.ts';
import { makeWorld, type Person, type World } from '../../packages/domain/src/testing/index.ts';
import type { SmallWorld, View } from './worlds.ts';

/** Returns a query for a whole list, or for the rows with the given ids. */
const wholeList = <Field extends string>(field: Field, ids?: readonly string[]): ListQuery<Field | 'id'> =>
  listQuery<Field>({
    filters: ids ? [{ field: 'id', operator: 'in', value: ids }] : [],
    order: [field],
    counted: true,
  });

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  forbidden: 'forbidden',
  not_found: 'not_found',
  invalid_token: 'unauthenticated',
};

/** Returns the result of an attempt, or the outcome of its refusal. Rethrows other errors. */
const outcomeOf = async <T>(attempt: () => Promise<T>): Promise<T | Outcome> => {
  try {
    return await attempt();
  } catch (error) {
    const outcome = error instanceof DomainError ? OUTCOMES[error.code] : undefined;
    if (outcome) return outcome;
    throw error;
  }
};

/** Returns the current rights of a user. */
const load = async ({ users }: Pick<World, 'users'>, id: string): Promise<Actor> => {
  const user = await users.find(id);
  if (!user) throw new Error('the acting user is not stored');
  return actorOf(user);
};

/**
 * Reads a view through the use cases, as a user whose rights are read first. With `comparesExports`, throws if the export of
 * a list has another result than the list.
 */
export const viewByUseCases = async (
  ports: Pick<World, 'users' | 'divisions' | 'listExports'>,
  { divisions, people }: SmallWorld,
  { id: actorId }: Person,
  { comparesExports = false } = {},
): Promise<View> => {
  const useCases = makeUseCases({ ...makeWorld(), ...ports });
  const { getDivision, getUser, listDivisions, listDivisionUsers, listUsers } = useCases;
  const actor = await load(ports, actorId);
  const ids = async (
    list: (actor: Actor) => Promise<{ readonly items: readonly { readonly id: string }[]; readonly count?: number }>,
    exportList: (actor: Actor) => Promise<OpenExport<{ readonly id: string }>>,
  ) => {
    const listed = await outcomeOf(async () => {
      const { items, count } = await list(actor);
      if (count !== items.length) throw new Error(`the count is ${count}, but the list has ${items.length} items`);
      return items.map(({ id }) => id).toSorted();
    });
    if (!comparesExports) return listed;
    const exported = await outcomeOf(async () => {
      const { batches } = await (await exportList(actor))();
      return (await Array.fromAsync(batches)).flatMap((batch) => batch.map(({ id }) => id)).toSorted();
    });
    if (String(exported) !== String(listed)) {
      throw new Error(`the export shows ${String(exported)}, but the list ${String(listed)}`);
    }
    return listed;
  };
  const read = async (get: (actor: Actor) => Promise<{ readonly id: string }>, id: string) =>
    outcomeOf(async () => {
      const found = await get(actor);
      if (found.id !== id) throw new Error('another record was returned');
      return 'allowed' as const;
    });
  // The list of divisions is limited to this world, because other worlds may be stored in the same database.
  const divisionIds = divisions.map(({ id }) => id);
  const view: Record<string, readonly string[] | Outcome> = {
    'list users': await ids(
      (actor) => listUsers(actor, () => wholeList('username')),
      (actor) => listUsers.export(actor, () => wholeList('username')),
    ),
    'list divisions': await ids(
      (actor) => listDivisions(actor, () => wholeList('name', divisionIds)),
      (actor) => listDivisions.export(actor, () => wholeList('name', divisionIds)),
    ),
  };
  for (const { id } of divisions) {
    view[`list users of ${id}`] = await ids(
      (actor) => listDivisionUsers(actor, id, () => wholeList('username')),
      (actor) => listDivisionUsers.export(actor, id, () => wholeList('username')),
    );
    view[`get division ${id}`] = await read((actor) => getDivision(actor, id), id);
  }
  for (const { id } of people) view[`get user ${id}`] = await read((actor) => getUser(actor, id), id);
  return view;
};
