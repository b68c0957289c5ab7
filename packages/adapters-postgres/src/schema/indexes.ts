import { fieldsWith, userFields } from '@chapter/domain';
import { userMapping } from './user-mapping.ts';

/**
 * An index as data. The entity's declaration, the check of the migrated schema, and the plans of lists derive from it.
 * A released index changes by a migration and here.
 */
export interface Index {
  readonly name: string;
  readonly table: 'user_account' | 'division';
  readonly kind: 'btree' | 'gin';
  readonly isUnique?: boolean;
  /** The indexed columns in their order, with the operator class where it is not the default one. */
  readonly columns: readonly string[];
  /** Columns that are stored with each entry so that a scan need not read the row. */
  readonly include?: readonly string[];
  /** Limits the index to some rows. PostgreSQL uses it only for a statement with the same condition. */
  readonly condition?: string;
  readonly options?: string;
}

/** The condition of the index `user_account_listed`. Every row meets it; a statement states it to choose the index. */
const CHOOSES_LISTED = "username >= ''";

const orderOfUsers = (column: string, include?: readonly string[]): Index => ({
  name: `user_account_${column}_order`,
  table: 'user_account',
  kind: 'btree',
  columns: column === 'id' ? ['division_id', 'id'] : ['division_id', column, 'id'],
  ...(include ? { include } : {}),
});

const IN_ORDER = ['division_id', 'date_joined', 'id'];
const listedColumns: readonly string[] = fieldsWith(userFields, 'listed', true).map(
  (field) => userMapping[field].column,
);

/** The indexes of users, each with the reads that need it. */
export const userIndexes: readonly Index[] = [
  { name: 'user_account_pkey', table: 'user_account', kind: 'btree', isUnique: true, columns: ['id'] },
  {
    name: 'user_account_username_key_unique',
    table: 'user_account',
    kind: 'btree',
    isUnique: true,
    columns: ['username_key'],
  },
  {
    name: 'user_account_email_key_unique',
    table: 'user_account',
    kind: 'btree',
    isUnique: true,
    columns: ['email_key'],
  },
  // Pages ordered by one field, and filters that compare it. The smallest one also serves counts.
  orderOfUsers('id'),
  orderOfUsers('username_key'),
  orderOfUsers('email_key'),
  orderOfUsers('first_name_key'),
  orderOfUsers('last_name_key'),
  orderOfUsers('birthdate'),
  // The default order. A search in it reads this index alone.
  orderOfUsers('date_joined', ['search']),
  // Pages in the default order, also with filters by groups, birthdate or flags, read this index alone.
  {
    name: 'user_account_listed',
    table: 'user_account',
    kind: 'btree',
    columns: IN_ORDER,
    include: listedColumns.filter((column) => !IN_ORDER.includes(column)),
    condition: CHOOSES_LISTED,
  },
  // Rare words, groups and flags in a division that is too large to be scanned.
  {
    name: 'user_account_search',
    table: 'user_account',
    kind: 'gin',
    columns: ['(division_id::text)', 'search gin_trgm_ops', 'groups', 'is_active', 'is_staff', 'is_superuser'],
    options: 'gin_pending_list_limit = 256',
  },
  // The check that a division keeps an active Leader.
  {
    name: 'user_account_active_leader',
    table: 'user_account',
    kind: 'btree',
    columns: ['division_id'],
    condition: `is_active and groups @> '{Leader}'`,
  },
];

/** The indexes of divisions. */
export const divisionIndexes: readonly Index[] = [
  { name: 'division_pkey', table: 'division', kind: 'btree', isUnique: true, columns: ['id'] },
  { name: 'division_name_key_unique', table: 'division', kind: 'btree', isUnique: true, columns: ['name_key'] },
  { name: 'division_search', table: 'division', kind: 'gin', columns: ['name_key gin_trgm_ops'] },
];

/** Returns the statement that creates an index. */
const createIndex = ({ name, table, kind, columns, include, condition, options }: Index): string =>
  [
    `create index "${name}" on "${table}" using ${kind} (${columns.join(', ')})`,
    include && `include (${include.join(', ')})`,
    options && `with (${options})`,
    condition && `where ${condition}`,
  ]
    .filter(Boolean)
    .join(' ');

/**
 * Returns the declarations of indexes in the form in which an entity takes them. `properties` has the property of each unique column;
 * primary keys belong to the properties themselves.
 */
export const indexesOfEntity = <const Property extends string>(
  indexes: readonly Index[],
  properties: Readonly<Record<string, Property>>,
) => ({
  uniques: indexes.flatMap(({ name, isUnique, columns }) => {
    const property = isUnique && properties[columns.join()];
    return property ? [{ name, properties: [property] }] : [];
  }),
  indexes: indexes
    .filter(({ isUnique }) => !isUnique)
    .map((index) => ({ name: index.name, expression: createIndex(index) })),
});
