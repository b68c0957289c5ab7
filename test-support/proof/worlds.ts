import * as fc from 'fast-check';
import {
  type Action,
  asTarget,
  can,
  type Division,
  explain,
  GROUPS,
  isInScope,
  type Outcome,
  scope,
} from '../../packages/domain/src/index.ts';
import { aDivision, aUser, type Person } from '../../packages/domain/src/testing/index.ts';

/** A few divisions and their users, with any groups, flags and activity. */
export interface SmallWorld {
  readonly divisions: readonly Division[];
  readonly people: readonly Person[];
}

/** Arbitrary small worlds of two or three divisions and up to five users. */
export const smallWorld: fc.Arbitrary<SmallWorld> = fc
  .record({
    count: fc.integer({ min: 2, max: 3 }),
    people: fc.array(
      fc.record({
        of: fc.nat(),
        groups: fc.subarray([...GROUPS]),
        isActive: fc.integer({ min: 0, max: 4 }).map((number) => number > 0),
        isStaff: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
        isSuperuser: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ count, people }) => {
    const divisions = Array.from({ length: count }, aDivision);
    return {
      divisions,
      people: people.map(({ of, ...rights }) => {
        const division = divisions[of % count];
        if (!division) throw new Error('a world has at least two divisions');
        return aUser().of(division).with(rights);
      }),
    };
  });

/** A move of the user at index `nth` to the division at index `to`. The indexes wrap around, so they suit every world. */
export interface Move {
  readonly nth: number;
  readonly to: number;
}

/** An arbitrary move. */
export const anyMove: fc.Arbitrary<Move> = fc.record({ nth: fc.nat(), to: fc.nat() });

/** Returns a world after a move, with the user who moved. */
export const afterMove = ({ divisions, people }: SmallWorld, { nth, to }: Move) => {
  const at = nth % people.length;
  const [person, division] = [people[at], divisions[to % divisions.length]];
  if (!person || !division) throw new Error('every world has people and divisions');
  const mover: Person = { ...person, division: { id: division.id, name: division.name }, divisionId: division.id };
  return { mover, world: { divisions, people: people.with(at, mover) } };
};

/** What a user may see of a world: for each read the returned ids, `allowed`, or the kind of refusal. */
export type View = Readonly<Record<string, readonly string[] | Outcome>>;

type ListAction = 'listUsers' | 'listDivisions' | 'listDivisionUsers';
type Row = Pick<Person, 'id' | 'divisionId'>;

/** Returns the view that the policy allows: a list has exactly the rows in the caller's scope. */
export const viewByPolicy = ({ divisions, people }: SmallWorld, actor: Person): View => {
  const outcome = <A extends Action>(action: A, target: Parameters<typeof explain<A>>[2]) =>
    explain(actor, action, target).outcome;
  const listed = <A extends ListAction>(action: A, target: Parameters<typeof explain<A>>[2], rows: readonly Row[]) => {
    const allowed = scope<ListAction>(actor, action);
    const ids = rows.filter((row) => isInScope(allowed, row)).map(({ id }) => id);
    return can(actor, action, target) ? ids.toSorted() : outcome(action, target);
  };
  return {
    'list users': listed('listUsers', actor, people),
    'list divisions': listed(
      'listDivisions',
      {},
      divisions.map(({ id }) => ({ id, divisionId: id })),
    ),
    ...Object.fromEntries(
      divisions.flatMap(({ id }) => [
        [`list users of ${id}`, listed('listDivisionUsers', { divisionId: id }, people)],
        [`get division ${id}`, outcome('getDivision', { divisionId: id })],
      ]),
    ),
    ...Object.fromEntries(people.map((person) => [`get user ${person.id}`, outcome('getUser', asTarget(person))])),
  };
};
