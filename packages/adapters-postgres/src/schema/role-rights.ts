import { escapeIdentifier, escapeLiteral } from 'pg';
import { type Place, type Requirement, SERVING_FUNCTIONS, SERVING_RIGHTS, SERVING_TYPES } from './rights.ts';

const oidOf = (role: string): string => `to_regrole(${escapeLiteral(escapeIdentifier(role))})`;

/** Returns what must hold before anything else can be asked about the role. */
export const requirementsOfName = (role: string): readonly Requirement[] => [
  { statement: `create role ${escapeIdentifier(role)} login`, isMet: `${oidOf(role)} is not null` },
];

// An owner has every right on the object, and may take back each one that was revoked.
const ownsNot = (role: string, { database, owner, schema }: Place): readonly Requirement[] => {
  const objects: readonly (readonly [string, string])[] = [
    [
      `database ${escapeIdentifier(database)}`,
      `select datdba as owner from pg_database where datname = ${escapeLiteral(database)}`,
    ],
    [
      `schema ${escapeIdentifier(schema)}`,
      `select nspowner as owner from pg_namespace where nspname = ${escapeLiteral(schema)}`,
    ],
    ...Object.keys(SERVING_RIGHTS).map(
      (table) =>
        [`table ${table}`, `select relowner as owner from pg_class where oid = to_regclass('${table}')`] as const,
    ),
    ...SERVING_FUNCTIONS.map(
      (called) =>
        [`function ${called}`, `select proowner as owner from pg_proc where oid = to_regproc('${called}')`] as const,
    ),
    ...SERVING_TYPES.map(
      (type) => [`type ${type}`, `select typowner as owner from pg_type where oid = to_regtype('${type}')`] as const,
    ),
  ];
  return objects.map(([object, owners]) => ({
    statement: `alter ${object} owner to ${escapeIdentifier(owner)}`,
    isMet: `not exists (select from (${owners}) as object where owner = ${oidOf(role)})`,
  }));
};

/** Returns what the role must not be or own. Only an administrator can change this. */
export const requirementsOfRole = (role: string, place: Place): readonly Requirement[] => {
  const [to, name] = [escapeIdentifier(role), escapeLiteral(role)];
  // Before PostgreSQL 16, CREATEROLE is enough to join the owner's role.
  const attributes = ['super', 'createrole'].map((attribute) => ({
    statement: `alter role ${to} no${attribute === 'super' ? 'superuser' : attribute}`,
    isMet: `not exists (select from pg_roles where rolname = ${name} and rol${attribute})`,
  }));
  return [...attributes, ...ownsNot(role, place)];
};

/**
 * Returns a query for the roles that this role belongs to and must leave: the owner's, predefined ones, and all that own or
 * may do anything in this database, themselves or through other roles. Roles that are only used to log in may stay. For
 * PostgreSQL, superusers belong to every role, the owner's among them.
 */
export const membershipsToLeave = (role: string, { database, owner }: Place): string => `
  select distinct joined.rolname::text as name from pg_auth_members
    join pg_roles joined on joined.oid = roleid
    join pg_database here on here.datname = ${escapeLiteral(database)}
  where member = ${oidOf(role)} and exists (
    select from pg_roles reached where pg_has_role(joined.oid, reached.oid, 'member') and (
      reached.rolname = ${escapeLiteral(owner)} or reached.rolname ~ '^pg_' or reached.rolcreaterole
      or exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = reached.oid
        and (dbid = here.oid or (classid = 'pg_database'::regclass and objid = here.oid)))))
  order by name`;
