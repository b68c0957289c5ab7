import { NEW_DIVISION_DEFAULTS } from '../../fields/division-fields.ts';
import { NEW_USER_DEFAULTS } from '../../fields/user-checks.ts';
import type { Division, DivisionReference } from '../../model/division.ts';
import type { Actor, Group, User } from '../../model/user.ts';
import { makeSequentialIds } from '../fakes/ids.ts';

/** Somebody as actor, as stored user and as target at once: whatever a rule or a port wants of them. */
export interface Person extends User, Actor {}

/** A person that makes further persons; itself it is never changed. Spread, it is a plain value. */
export interface PersonBuilder extends Person {
  /** The same person in another division. */
  of(division: DivisionReference): PersonBuilder;
  /** The same person, inactive. */
  inactive(): PersonBuilder;
  /** The same person with other values; a `division` says `divisionId` too. */
  with(values: Partial<Person>): PersonBuilder;
}

/** A division that makes further divisions. Spread, it is a plain value. */
export interface DivisionBuilder extends Division {
  /** What rules call a target's division: itself. */
  readonly divisionId: Division['id'];
  /** The same division with other values. */
  with(values: Partial<Division>): DivisionBuilder;
}

// Apart from the ids that a world gives, so that what was built and what was created never meet.
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

const member = (name: string, groups: readonly Group[], flags: Partial<Person> = {}): PersonBuilder => {
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

/** A division like no other. */
export const aDivision = (): DivisionBuilder => {
  count += 1;
  return divisionWith({ ...NEW_DIVISION_DEFAULTS, id: ids.next(), name: `Division ${count}`, revision: '1' });
};

/** An active member of the group Leader alone, in a division of their own unless `.of(division)` says another. */
export const aLeader = (): PersonBuilder => member('leader', ['Leader']);

/** An active member of the group Guest alone. */
export const aGuest = (): PersonBuilder => member('guest', ['Guest']);

/** An active member of the group User alone. */
export const aUser = (): PersonBuilder => member('user', ['User']);

/** A superuser in the group User; `.with({ isSuperuser: false, isStaff: true })` is an Administrator as well. */
export const anAdministrator = (): PersonBuilder => member('administrator', ['User'], { isSuperuser: true });
