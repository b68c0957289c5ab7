import { escapeIdentifier, escapeLiteral } from 'pg';
import { MIGRATION_TABLE } from './migrations/index.ts';

const TABLE_RIGHTS = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'] as const;

type TableRight = (typeof TABLE_RIGHTS)[number];

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
  personal_token: ROW_RIGHTS,
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

// In an older schema, an object may be missing. Then to_regclass and the like return null, which counts as met.
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

/** The extensions that the indexes use. */
export const EXTENSIONS = ['pg_trgm', 'btree_gin'] as const;

/** Returns the rights and extensions that the owner needs to migrate. */
export const requirementsOfOwner = ({ owner, schema }: SchemaContext): readonly Requirement[] => [
  ...EXTENSIONS.map((extension) => ({
    statement: `create extension ${extension}`,
    isMet: `exists (select from pg_extension where extname = '${extension}')`,
  })),
  {
    statement: `grant usage, create on schema ${escapeIdentifier(schema)} to ${escapeIdentifier(owner)}`,
    isMet: `has_schema_privilege(${escapeLiteral(schema)}, 'usage') and has_schema_privilege(${escapeLiteral(schema)}, 'create')`,
  },
];

const oidOf = (role: string): string => `to_regrole(${escapeLiteral(escapeIdentifier(role))})`;

/** Returns the requirement that the role exists. Otherwise, the other queries about it fail. */
export const requirementsOfExistence = (role: string): readonly Requirement[] => [
  { statement: `create role ${escapeIdentifier(role)} login`, isMet: `${oidOf(role)} is not null` },
];

// An owner has all rights on its objects, and can grant itself those that were revoked.
const ownsNothing = (role: string, { database, owner, schema }: SchemaContext): readonly Requirement[] => {
  const objects = [
    [`database ${escapeIdentifier(database)}`, 'datdba', `pg_database where datname = ${escapeLiteral(database)}`],
    [`schema ${escapeIdentifier(schema)}`, 'nspowner', `pg_namespace where nspname = ${escapeLiteral(schema)}`],
    ...Object.keys(SERVING_RIGHTS).map((table) => [
      `table ${table}`,
      'relowner',
      `pg_class where oid = to_regclass('${table}')`,
    ]),
    ...SERVING_FUNCTIONS.map((name) => [`function ${name}`, 'proowner', `pg_proc where oid = to_regproc('${name}')`]),
    ...SERVING_TYPES.map((type) => [`type ${type}`, 'typowner', `pg_type where oid = to_regtype('${type}')`]),
  ];
  return objects.map(([object, ownerColumn, row]) => ({
    statement: `alter ${object} owner to ${escapeIdentifier(owner)}`,
    isMet: `not exists (select from ${row} and ${ownerColumn} = ${oidOf(role)})`,
  }));
};

/** Returns the requirements for attributes and ownership of the role. Only an administrator can meet them. */
export const requirementsOfRole = (role: string, context: SchemaContext): readonly Requirement[] => {
  const [to, name] = [escapeIdentifier(role), escapeLiteral(role)];
  // Before PostgreSQL 16, a role with CREATEROLE can join the owner's role.
  const attributes = ['super', 'createrole'].map((attribute) => ({
    statement: `alter role ${to} no${attribute === 'super' ? 'superuser' : attribute}`,
    isMet: `not exists (select from pg_roles where rolname = ${name} and rol${attribute})`,
  }));
  return [...attributes, ...ownsNothing(role, context)];
};

/**
 * Returns a query for the roles that this role must leave: the owner's role, predefined roles, roles with CREATEROLE, and roles
 * that own an object or have a right in this database, directly or through other roles. It may stay in roles without any of
 * these, such as roles that only control logins. PostgreSQL counts superusers as members of every role, including the owner's.
 */
export const membershipsToLeave = (role: string, { database, owner }: SchemaContext): string => `
  select distinct joined.rolname::text as name from pg_auth_members
    join pg_roles joined on joined.oid = roleid
    join pg_database here on here.datname = ${escapeLiteral(database)}
  where member = ${oidOf(role)} and exists (
    select from pg_roles reached where pg_has_role(joined.oid, reached.oid, 'member') and (
      reached.rolname = ${escapeLiteral(owner)} or reached.rolname ~ '^pg_' or reached.rolcreaterole
      or exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = reached.oid
        and (dbid = here.oid or (classid = 'pg_database'::regclass and objid = here.oid)))))
  order by name`;

/**
 * Requires that the role's search path leads to the owner's tables. PostgreSQL takes the path that is set for the role, else
 * for the database, else on the server. The owner's session shows the server's path only if no other is set for the owner.
 */
export const requirementOfSearchPath = (role: string, { database, path, schema }: SchemaContext): Requirement => {
  const [to, name] = [escapeIdentifier(role), escapeLiteral(role)];
  const setPath = `select substr(entry, length('search_path=') + 1) from pg_db_role_setting, unnest(setconfig) as entry
    where setrole in (0, to_regrole(${escapeLiteral(to)})) and starts_with(entry, 'search_path=')
      and setdatabase in (0, (select oid from pg_database where datname = ${escapeLiteral(database)}))
    order by setrole = 0, setdatabase = 0 limit 1`;
  const serverPath = `select reset_val from pg_settings
    where name = 'search_path' and source not in ('user', 'database user', 'client', 'session')`;
  return {
    statement: `alter role ${to} in database ${escapeIdentifier(database)} set search_path = ${path.map(escapeIdentifier).join(', ')}`,
    isMet: `${escapeLiteral(schema)} is not distinct from (
      select nspname
        from unnest(string_to_array(coalesce((${setPath}), (${serverPath}), '"$user", public'), ','))
          with ordinality as part(quoted, place)
        join pg_namespace on nspname = replace(trim(both ' "' from quoted), '$user', ${name})
       where nspname = ${escapeLiteral(schema)}
          or exists (select from pg_class where relnamespace = pg_namespace.oid and relname = '${MIGRATION_TABLE}')
       order by place limit 1)`,
  };
};
