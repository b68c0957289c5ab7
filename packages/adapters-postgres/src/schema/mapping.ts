import { type divisionFields, type FieldColumns, foldCase, type Instant, type userFields } from '@chapter/domain/ports';

/** How a field is stored. Files of a bulk load and of an export name it by its column. */
export interface StoredField {
  readonly column: string;
  /** The column with the case-folded text, by which lists compare and sort; null if the field is not text. */
  readonly key: string | null;
  /** Whether a unique index forbids a second row with the same value. */
  readonly isUnique: boolean;
}

/** A stored field for every field of `Fields`, with a key column for every text. */
export type Mapping<Fields extends Readonly<Record<keyof Fields, FieldColumns>>> = {
  readonly [Field in keyof Fields]: StoredField & {
    readonly key: Fields[Field]['kind'] extends 'text' ? string : null;
  };
};

/** How each of the given fields is stored. */
export type StoredFields<Field extends PropertyKey> = Readonly<Record<Field, StoredField>>;

/** The columns that the given fields are written to. */
export type WrittenColumn<Fields extends StoredFields<keyof Fields>, Field extends keyof Fields> = Exclude<
  Fields[Field]['column' | 'key'],
  null
>;

// The types of the tables have no readonly arrays, so the values that are written must not have any either.
type Written<Value> = Value extends readonly (infer Item)[] ? Item[] : Value;

/** The values of the columns that some fields of a record are written to. */
export type WrittenValues<Fields extends StoredFields<keyof Fields>, Field extends keyof Fields & keyof T, T> = {
  readonly [Name in Field as Fields[Name]['column']]: Written<T[Name]>;
} & {
  readonly [Name in Field as Extract<Fields[Name]['key'], string>]: Extract<T[Name], string | null>;
};

/** Returns the column by which lists compare and sort a field. */
export const listColumn = ({ column, key }: StoredField): string => key ?? column;

/** Returns the columns that the fields are written to, in the order of the fields. */
export const writtenColumns = <Fields extends StoredFields<keyof Fields>, Field extends keyof Fields>(
  mapping: Fields,
  fields: readonly Field[],
) =>
  fields
    .flatMap((field) => [mapping[field].column, mapping[field].key])
    .filter((column): column is WrittenColumn<Fields, Field> => column !== null);

/** Returns the written columns of some fields of a record with their values, including the key columns. */
export const writtenValues = <Fields extends StoredFields<keyof Fields>, T, Field extends keyof Fields & keyof T>(
  mapping: Fields,
  fields: readonly Field[],
  record: Pick<T, Field>,
): WrittenValues<Fields, Field, T> => {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const { column, key } = mapping[field];
    const value = record[field];
    values[column] = value;
    if (key !== null) values[key] = typeof value === 'string' ? foldCase(value) : null;
  }
  return values as WrittenValues<Fields, Field, T>;
};

/** Returns the names of the fields of a table or mapping, in its order. */
export const fieldsOf = <Field extends string>(table: Readonly<Record<Field, unknown>>) =>
  Object.keys(table).filter((name): name is Field => Object.hasOwn(table, name));

/** Converts `2024-01-31 10:20:30.5+00`, as a connection with time zone UTC returns it, to an instant. */
export const toInstant = (text: string): Instant => {
  const fraction = text[19] === '.' ? text.slice(20, -3).padEnd(3, '0') : '000';
  // `join` instead of a template: V8 stores an interpolated text in parts, which doubles the time of JSON.stringify.
  return [text.slice(0, 10), 'T', text.slice(11, 19), '.', fraction, 'Z'].join('');
};

/**
 * How each field of a user is stored. Written columns, list columns, the staging tables of bulk loads and the export
 * derive from it. The columns that are read do not: `users/user-rows.ts` names and converts them, because one
 * expression per row is faster than a loop over this table; the compiler checks their types.
 */
export const userMapping = {
  id: { column: 'id', key: null, isUnique: true },
  username: { column: 'username', key: 'username_key', isUnique: true },
  email: { column: 'email', key: 'email_key', isUnique: true },
  firstName: { column: 'first_name', key: 'first_name_key', isUnique: false },
  lastName: { column: 'last_name', key: 'last_name_key', isUnique: false },
  division: { column: 'division_id', key: null, isUnique: false },
  groups: { column: 'groups', key: null, isUnique: false },
  birthdate: { column: 'birthdate', key: null, isUnique: false },
  isActive: { column: 'is_active', key: null, isUnique: false },
  isStaff: { column: 'is_staff', key: null, isUnique: false },
  isSuperuser: { column: 'is_superuser', key: null, isUnique: false },
  dateJoined: { column: 'date_joined', key: null, isUnique: false },
} as const satisfies Mapping<typeof userFields>;

/**
 * How each field of a division is stored. Written columns, list columns, the staging tables of bulk loads and the export
 * derive from it. The columns that are read do not: `divisions/division-repository.ts` names and converts them, for speed.
 */
export const divisionMapping = {
  id: { column: 'id', key: null, isUnique: true },
  name: { column: 'name', key: 'name_key', isUnique: true },
  logo: { column: 'logo', key: 'logo_key', isUnique: false },
  fanpage: { column: 'fanpage', key: 'fanpage_key', isUnique: false },
} as const satisfies Mapping<typeof divisionFields>;
