import { fieldsWith, userFields } from '@chapter/domain/ports';
import { userMapping } from './mapping.ts';

/**
 * The definition of an index. The entity's declaration, the check of the migrated schema and the plans of lists derive
 * from it. To change a released index, change it here and in a migration.
 */
export interface Index {
  readonly name: string;
  readonly kind: 'btree' | 'gin';
  readonly isUnique?: boolean;
  /** The indexed columns in order, with their operator classes unless these are the defaults. */
  readonly columns: readonly string[];
  /** Columns that each entry stores in addition, so that a scan does not need to read the row. */
  readonly include?: readonly string[];
  /** The condition of a partial index. PostgreSQL uses the index only for statements with the same condition. */
  readonly condition?: string;
  readonly options?: string;
}

/** The condition of the index `user_account_listed`. All rows meet it. A statement contains it to select this index. */
export const LISTED_INDEX_CONDITION = "username >= ''";

const FREQUENT_CHARACTERS = 'abcdeghilmnoprstu0123456789@.';

/**
 * The characters that the inverted indexes leave out: those that many names and email addresses have, and U+0001, which
 * separates the searched texts of each user. They would find too many rows, and cost each row an index entry for each
 * of them. All others are the indexed characters.
 */
export const UNINDEXED_CHARACTERS = `${FREQUENT_CHARACTERS}\u0001`;

/**
 * Returns an SQL expression for the indexed characters of a text. The inverted indexes and the statements that use them
 * contain it. PostgreSQL uses an index only for the same expression.
 */
export const charactersOf = (column: string): string =>
  `string_to_array(translate(${column}, '${FREQUENT_CHARACTERS}' || chr(1), ''), null)`;

const userOrderIndex = (column: string, include?: readonly string[]): Index => ({
  name: `user_account_${column}_order`,
  kind: 'btree',
  columns: column === 'id' ? ['division_id', 'id'] : ['division_id', column, 'id'],
  ...(include ? { include } : {}),
});

const DEFAULT_ORDER_COLUMNS = ['division_id', 'date_joined', 'id'];
const listedColumns: readonly string[] = fieldsWith(userFields, 'listed', true).map(
  (field) => userMapping[field].column,
);

/** The indexes of users. Comments name the statements that need them. */
export const userIndexes: readonly Index[] = [
  { name: 'user_account_pkey', kind: 'btree', isUnique: true, columns: ['id'] },
  { name: 'user_account_username_key_unique', kind: 'btree', isUnique: true, columns: ['username_key'] },
  { name: 'user_account_email_key_unique', kind: 'btree', isUnique: true, columns: ['email_key'] },
  // Pages ordered by one field, and filters by it. The index of `id`, the smallest, also serves counts.
  userOrderIndex('id'),
  // A page of ids and usernames reads only this index.
  userOrderIndex('username_key', ['username']),
  userOrderIndex('email_key'),
  userOrderIndex('first_name_key'),
  userOrderIndex('last_name_key'),
  userOrderIndex('birthdate'),
  // The default order. A search in the default order reads only this index.
  userOrderIndex('date_joined', ['search']),
  // Pages in the default order read only this index, even with filters by groups, birthdate or flags.
  {
    name: 'user_account_listed',
    kind: 'btree',
    columns: DEFAULT_ORDER_COLUMNS,
    include: listedColumns.filter((column) => !DEFAULT_ORDER_COLUMNS.includes(column)),
    condition: LISTED_INDEX_CONDITION,
  },
  // Searches for words, groups and flags in a division that is too large to scan.
  {
    name: 'user_account_search',
    kind: 'gin',
    columns: [
      '(division_id::text)',
      'search gin_trgm_ops',
      'groups',
      'is_active',
      'is_staff',
      'is_superuser',
      `(${charactersOf('search')})`,
    ],
    options: 'gin_pending_list_limit = 256',
  },
  // The check that a division has an active Leader.
  {
    name: 'user_account_active_leader',
    kind: 'btree',
    columns: ['division_id'],
    condition: `is_active and groups @> '{Leader}'`,
  },
];

/** The indexes of divisions. */
export const divisionIndexes: readonly Index[] = [
  { name: 'division_pkey', kind: 'btree', isUnique: true, columns: ['id'] },
  { name: 'division_name_key_unique', kind: 'btree', isUnique: true, columns: ['name_key'] },
  { name: 'division_search', kind: 'gin', columns: ['name_key gin_trgm_ops', `(${charactersOf('name_key')})`] },
];

const createIndex = (table: string, { name, kind, columns, include, condition, options }: Index): string =>
  [
    `create index "${name}" on "${table}" using ${kind} (${columns.join(', ')})`,
    include && `include (${include.join(', ')})`,
    options && `with (${options})`,
    condition && `where ${condition}`,
  ]
    .filter(Boolean)
    .join(' ');

/**
 * Returns the declarations of indexes for the entity of a table. `properties` maps each unique column to its property.
 * Primary keys are declared by the properties themselves.
 */
export const indexesOfEntity = <const Property extends string>(
  table: string,
  indexes: readonly Index[],
  properties: Readonly<Record<string, Property>>,
) => ({
  uniques: indexes.flatMap(({ name, isUnique, columns }) => {
    const property = isUnique && properties[columns.join()];
    return property ? [{ name, properties: [property] }] : [];
  }),
  indexes: indexes
    .filter(({ isUnique }) => !isUnique)
    .map((index) => ({ name: index.name, expression: createIndex(table, index) })),
});
