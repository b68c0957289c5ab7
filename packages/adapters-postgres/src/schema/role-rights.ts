import { escapeIdentifier, escapeLiteral } from 'pg';
import { type Requirement, type SchemaContext, SERVING_FUNCTIONS, SERVING_RIGHTS, SERVING_TYPES } from './rights.ts';

const oidOf = (role: string): string => `to_regrole(${escapeLiteral(escapeIdentifier(role))})`;

/** Returns the requirement that the role exists. Otherwise, the other queries about it fail. */
export const requirementsOfExistence = (role: string): readonly Requirement[] => [
  { statement: `create role ${escapeIdentifier(role)} login`, isMet: `${oidOf(role)} is not null` },
];

// An owner has all rights on its objects, and can grant itself those that were revoked.
const ownsNothing = (role: string, { database, owner, schema }: SchemaContext): readonly Requirement[] => {
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
      (name) =>
        [`function ${name}`, `select proowner as owner from pg_proc where oid = to_regproc('${name}')`] as const,
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
