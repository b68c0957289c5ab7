import { CHANGEABLE_DIVISION_FIELDS, divisionFields } from '../../fields/division-fields.ts';
import type { FieldColumns, FieldKind } from '../../fields/field-table.ts';
import { CHANGEABLE_USER_FIELDS, userFields } from '../../fields/user-fields.ts';
import { listQuery } from '../../lists/list-query.ts';
import type { Division } from '../../model/division.ts';
import type { User } from '../../model/user.ts';
import { aDivision, aUser } from '../builders/builders.ts';
import { changeDivision, changeUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectDifferent, expectEqual } from './expect.ts';

/** For each kind of field, returns a value that differs from the given one. */
const OTHER_VALUES: Record<FieldKind, (value: unknown) => unknown> = {
  text: () => 'changed',
  boolean: (value) => value !== true,
  groups: () => ['Guest'],
  date: () => '1999-12-31',
  instant: () => '1999-12-31T23:59:59.999Z',
  uuid: () => '019b0000-0000-7000-8000-0000000000ff',
  division: (value) => value,
};

/** How a contract creates, reads and changes records. */
interface Records<T> {
  readonly build: () => T;
  readonly create: (world: World, record: T) => Promise<T>;
  readonly find: (world: World, id: string) => Promise<T | null>;
  readonly listed: (world: World, record: T) => Promise<Partial<T> | undefined>;
  readonly update: (world: World, id: string, values: Partial<T>) => Promise<T>;
}

const users: Records<User> = {
  build: aUser,
  create: storeUser,
  find: (world, id) => world.users.find(id),
  listed: async (world, { id, division }) =>
    (await world.users.list(division.id, listQuery({ filters: [{ field: 'id', operator: 'eq', value: id }] })))
      .items[0],
  update: (world, id, values) => changeUser(world, id, values),
};

const divisions: Records<Division> = {
  build: aDivision,
  create: storeDivision,
  find: (world, id) => world.divisions.find(id),
  listed: async (world, { id }) =>
    (await world.divisions.list(listQuery({ filters: [{ field: 'id', operator: 'eq', value: id }] }))).items[0],
  update: (world, id, values) => changeDivision(world, id, values),
};

/** Returns contract cases for every field of a table, so that an adapter cannot omit a field. */
const contractOfEach = <T extends User | Division, Field extends keyof T & string>(
  table: Readonly<Record<Field, FieldColumns>>,
  fields: readonly Field[],
  { build, create, find, listed, update }: Records<T>,
): readonly ContractCase[] => {
  const otherValues = (record: T, names: readonly Field[]): Partial<T> =>
    // A value of the field's kind has the type of the field.
    Object.fromEntries(names.map((field) => [field, OTHER_VALUES[table[field].kind](record[field])])) as Partial<T>;

  const expectStored = async (world: World, before: T, field: Field, change: Partial<T>): Promise<void> => {
    const expected = { ...before, ...change };
    const { revision, ...updated } = await update(world, before.id, change);
    expectEqual({ ...updated, revision }, { ...expected, revision });
    expectDifferent(revision, before.revision, 'the revision');
    expectEqual(await find(world, before.id), { ...expected, revision });
    if (table[field].listed) expectEqual((await listed(world, before))?.[field], expected[field], 'the listed value');
    const [entry] = await world.audit.list({ limit: 1 });
    const values = { old: before[field] ?? null, new: expected[field] };
    expectEqual(entry?.changes, table[field].audited ? { [field]: values } : {}, 'the changes in the audit trail');
  };

  return [
    contractCase('stores every field of a creation with a value that is not its default', async (world) => {
      const built = build();
      const values = otherValues(built, fields);
      const { revision, ...created } = await create(world, { ...built, ...values });
      expectEqual({ ...created, ...values }, created);
      expectEqual(/^[!#-~]+$/.test(revision), true, 'the revision is visible ASCII without quotes');
      expectEqual(await find(world, built.id), { ...created, revision });
    }),

    ...fields.map((field) =>
      contractCase(`stores, lists and audits an update of ${field} alone, and the reverse update`, async (world) => {
        const first = await create(world, build());
        await expectStored(world, first, field, otherValues(first, [field]));
        const second = await find(world, first.id);
        // Passes the whole first record, which differs in this field only.
        if (second) await expectStored(world, second, field, first);
        expectEqual({ ...(await find(world, first.id)), revision: '' }, { ...first, revision: '' });
      }),
    ),
  ];
};

/** Contract cases for every field of a user. */
export const eachUserField = contractOfEach(userFields, CHANGEABLE_USER_FIELDS, users);

/** Contract cases for every field of a division. */
export const eachDivisionField = contractOfEach(divisionFields, CHANGEABLE_DIVISION_FIELDS, divisions);
