import { NEW_DIVISION_DEFAULTS } from '../../fields/division-fields.ts';
import { NEW_USER_DEFAULTS } from '../../fields/user-fields.ts';
import type { Division, DivisionReference } from '../../model/division.ts';
import type { Actor, Group, User } from '../../model/user.ts';
import { makeSequentialIds } from '../fakes/ids.ts';

/** An actor, a stored user and a target in one, for use with every rule and port. */
export interface Person extends User, Actor {}

/** An immutable person with methods that return variants. Spreading it gives a plain value. */
export interface PersonBuilder extends Person {
  /** The same person in another division. */
  of(division: DivisionReference): PersonBuilder;
  /** The same person, inactive. */
  inactive(): PersonBuilder;
  /** The same person with other values; `division` also sets `divisionId`. */
  with(values: Partial<Person>): PersonBuilder;
}

/** An immutable division with a method that returns variants. Spreading it gives a plain value. */
export interface DivisionBuilder extends Division {
  /** The `divisionId` that rules read from a target: the division's own id. */
  readonly divisionId: Division['id'];
  /** The same division with other values. */
  with(values: Partial<Division>): DivisionBuilder;
}

// This prefix differs from that of a world's ids, so that built and created ids never collide.
const ids = makeSequentialIds('019a00000000');
let count = 0;

const withMethods = <Value extends object, Methods extends object>(value: Value, methods: Methods): Value & Methods =>
  Object.defineProperties(
    { ...value },
    Object.fromEntries(Object.entries(methods).map(([name, method]: [string, unknown]) => [name, { value: method }])),
  ) as Value & Methods;

const personWith = (person: Person): PersonBuilder =>
  withMethods(person, {
    of: ({ id, name }: DivisionReference) => personWith({ ...person, division: { id, name }, divisionId: id }),
    inactive: () => personWith({ ...person, isActive: false }),
    with: (values: Partial<Person>) =>
      personWith({ ...person, ...(values.division && { divisionId: values.division.id }), ...values }),
  });

const divisionWith = (division: Division): DivisionBuilder =>
  withMethods(
    { ...division, divisionId: division.id },
    { with: (values: Partial<Division>) => divisionWith({ ...division, ...values }) },
  );

const newPerson = (name: string, groups: readonly Group[], flags: Partial<Person> = {}): PersonBuilder => {
  count += 1;
  const { id, name: divisionName } = aDivision();
  return personWith({
    ...NEW_USER_DEFAULTS,
    id: ids.next(),
    username: `${name}-${count}`,
    division: { id, name: divisionName },
    divisionId: id,
    groups,
    dateJoined: '2026-01-01T00:00:00.000Z',
    revision: '1.1',
    ...flags,
  });
};

/** Returns a division with a unique id and name. */
export const aDivision = (): DivisionBuilder => {
  count += 1;
  return divisionWith({ ...NEW_DIVISION_DEFAULTS, id: ids.next(), name: `Division ${count}`, revision: '1' });
};

/** Returns an active Leader with no other group, in a new division unless `.of(division)` sets one. */
export const aLeader = (): PersonBuilder => newPerson('leader', ['Leader']);

/** Returns an active Guest with no other group. */
export const aGuest = (): PersonBuilder => newPerson('guest', ['Guest']);

/** Returns an active member of the group User only. */
export const aUser = (): PersonBuilder => newPerson('user', ['User']);

/** Returns a superuser in the group User. `.with({ isSuperuser: false, isStaff: true })` is an Administrator too. */
export const anAdministrator = (): PersonBuilder => newPerson('administrator', ['User'], { isSuperuser: true });
