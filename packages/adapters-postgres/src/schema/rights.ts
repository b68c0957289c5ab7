import { escapeIdentifier, escapeLiteral } from 'pg';
import { MIGRATION_TABLE } from './migrations/index.ts';

const TABLE_RIGHTS = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'] as const;

type TableRight = (typeof TABLE_RIGHTS)[number];

/** The rights that can be granted on single columns. */
const COLUMN_RIGHTS: ReadonlySet<TableRight> = new Set<TableRight>(['select', 'insert', 'update', 'references']);

const ROW_RIGHTS: readonly TableRight[] = ['select', 'insert', 'update', 'delete'];

/** The rights of the serving role on each table. Row locks require `update`. Audit entries can only be added. */
export const SERVING_RIGHTS: Readonly<Record<string, readonly TableRight[]>> = {
  division: ROW_RIGHTS,
  user_activity: ROW_RIGHTS,
  user_account: ROW_RIGHTS,
  session: ROW_RIGHTS,
  refresh_token: ROW_RIGHTS,
  idempotency_key: ROW_RIGHTS,
  login_limit: ROW_RIGHTS,
  password_link: ROW_RIGHTS,
  audit_entry: ['select', 'insert'],
  [MIGRATION_TABLE]: ['select'],
};

/** The functions that statements of release 0.1.0 call. */
export const SERVING_FUNCTIONS: readonly string[] = ['search_grams', 'member_tokens'];

/** Types that statements name. */
export const SERVING_TYPES: readonly string[] = ['member_group'];

/** A statement that an administrator or owner runs to meet a requirement. */
export interface Requirement {
  readonly statement: string;
  /** An SQL condition that holds when the requirement is already met. */
  readonly isMet: string;
}

/** The database, schema and owner that the requirements apply to, from the owner's session. */
export interface SchemaContext {
  readonly owner: string;
  readonly database: string;
  readonly schema: string;
  /** The existing schemas of the owner's search path. */
  readonly path: readonly string[];
}

// In an older schema, an object may be missing. Then to_regclass and similar functions return null, which counts as met.
const allMet = (conditions: readonly string[]): string => `coalesce(${conditions.join(' and ') || 'true'}, true)`;

const onTable = (role: string, table: string, rights: readonly TableRight[]): readonly Requirement[] => {
  const excess = TABLE_RIGHTS.filter((right) => !rights.includes(right));
  const has = (right: TableRight): string =>
    `has_table_privilege(${escapeLiteral(role)}, to_regclass('${table}'), '${right}')`;
  // Revoking a right on a table revokes it on the columns too.
  const hasAny = (right: TableRight): string =>
    COLUMN_RIGHTS.has(right)
      ? `has_any_column_privilege(${escapeLiteral(role)}, to_regclass('${table}'), '${right}')`
      : has(right);
  const to = escapeIdentifier(role);
  return [
    { statement: `grant ${rights.join(', ')} on table ${table} to ${to}`, isMet: allMet(rights.map(has)) },
    {
      statement: `revoke ${excess.join(', ')} on table ${table} from public, ${to}`,
      isMet: allMet(excess.map((right) => `not ${hasAny(right)}`)),
    },
  ];
};

/** Returns the rights that the serving role needs, and the removal of those that it must not have. */
export const requirementsOf = (role: string, { database, schema }: SchemaContext): readonly Requirement[] => {
  const [to, name] = [escapeIdentifier(role), escapeLiteral(role)];
  const onDatabase = (right: string) => `has_database_privilege(${name}, ${escapeLiteral(database)}, '${right}')`;
  return [
    {
      // An import stages its rows in temporary tables.
      statement: `grant connect, temporary on database ${escapeIdentifier(database)} to ${to}`,
      isMet: allMet(['connect', 'temporary'].map(onDatabase)),
    },
    {
      // With this right, the role could create schemas.
      statement: `revoke create on database ${escapeIdentifier(database)} from public, ${to}`,
      isMet: `not ${onDatabase('create')}`,
    },
    {
      statement: `grant usage on schema ${escapeIdentifier(schema)} to ${to}`,
      isMet: `has_schema_privilege(${name}, ${escapeLiteral(schema)}, 'usage')`,
    },
    {
      statement: `revoke create on schema ${escapeIdentifier(schema)} from public, ${to}`,
      isMet: `not has_schema_privilege(${name}, ${escapeLiteral(schema)}, 'create')`,
    },
    ...SERVING_TYPES.map((type) => ({
      statement: `grant usage on type ${type} to ${to}`,
      isMet: allMet([`has_type_privilege(${name}, to_regtype('${type}'), 'usage')`]),
    })),
    ...SERVING_FUNCTIONS.map((functionName) => ({
      statement: `grant execute on function ${functionName} to ${to}`,
      isMet: allMet([`has_function_privilege(${name}, to_regproc('${functionName}'), 'execute')`]),
    })),
    ...Object.entries(SERVING_RIGHTS).flatMap(([table, rights]) => onTable(role, table, rights)),
  ];
};

/** Returns the rights and extensions that the owner needs to migrate. */
export const requirementsOfOwner = ({ owner, schema }: SchemaContext): readonly Requirement[] => [
  ...['pg_trgm', 'btree_gin'].map((extension) => ({
    statement: `create extension ${extension}`,
    isMet: `exists (select from pg_extension where extname = '${extension}')`,
  })),
  {
    statement: `grant usage, create on schema ${escapeIdentifier(schema)} to ${escapeIdentifier(owner)}`,
    isMet: `has_schema_privilege(${escapeLiteral(schema)}, 'usage') and has_schema_privilege(${escapeLiteral(schema)}, 'create')`,
  },
];
