import {
  type Actor,
  DomainError,
  type ListQuery,
  listQuery,
  makeGetDivision,
  makeGetUser,
  makeListDivisions,
  makeListDivisionUsers,
  makeListUsers,
  type Outcome,
} from '../../packages/domain/src/index.ts';
import type { Person, World } from '../../packages/domain/src/testing/index.ts';
import type { SmallWorld, View } from './worlds.ts';

/** A whole list, or as much of it as has one of the ids. */
const everything = <Field extends string>(field: Field, ids?: readonly string[]): ListQuery<Field | 'id'> =>
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

/** How an attempt ends. What is no refusal of the policy is no answer. */
const outcomeOf = async <T>(attempt: () => Promise<T>): Promise<T | Outcome> => {
  try {
    return await attempt();
  } catch (error) {
    const outcome = error instanceof DomainError ? OUTCOMES[error.code] : undefined;
    if (outcome) return outcome;
    throw error;
  }
};

/** The rights of a user as they are stored now. */
const load = async ({ users }: Pick<World, 'users'>, id: string): Promise<Actor> => {
  const user = await users.find(id);
  if (!user) throw new Error('who acts is stored');
  return { ...user, divisionId: user.division.id };
};

/** The view that the use cases give of what is stored, to somebody whose rights are read just before. */
export const viewByUseCases = async (
  ports: Pick<World, 'users' | 'divisions'>,
  { divisions, people }: SmallWorld,
  { id: actorId }: Person,
): Promise<View> => {
  const [listUsers, listDivisionUsers, getUser] = [
    makeListUsers(ports),
    makeListDivisionUsers(ports),
    makeGetUser(ports),
  ];
  const [listDivisions, getDivision] = [makeListDivisions(ports), makeGetDivision(ports)];
  const actor = await load(ports, actorId);
  const ids = async (
    list: (actor: Actor) => Promise<{ readonly items: readonly { readonly id: string }[]; readonly count?: number }>,
  ) =>
    outcomeOf(async () => {
      const { items, count } = await list(actor);
      if (count !== items.length) throw new Error(`${count} are counted, ${items.length} are there`);
      return items.map(({ id }) => id).toSorted();
    });
  const read = async (get: (actor: Actor) => Promise<{ readonly id: string }>, id: string) =>
    outcomeOf(async () => {
      const found = await get(actor);
      if (found.id !== id) throw new Error('another was answered');
      return 'allowed' as const;
    });
  // Where many worlds are stored together, this list alone shows them all.
  const divisionIds = divisions.map(({ id }) => id);
  const view: Record<string, readonly string[] | Outcome> = {
    'list users': await ids((actor) => listUsers(actor, () => everything('username'))),
    'list divisions': await ids((actor) => listDivisions(actor, () => everything('name', divisionIds))),
  };
  for (const { id } of divisions) {
    view[`list users of ${id}`] = await ids((actor) => listDivisionUsers(actor, id, () => everything('username')));
    view[`get division ${id}`] = await read((actor) => getDivision(actor, id), id);
  }
  for (const { id } of people) view[`get user ${id}`] = await read((actor) => getUser(actor, id), id);
  return view;
};
