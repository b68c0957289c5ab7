import type { EntityManager } from '@mikro-orm/postgresql';
import { Client, escapeIdentifier, escapeLiteral, type Pool } from 'pg';
import { type ConnectionOptions, sessionSettings, settingsInUrl } from '../connection/options.ts';
import { splitHosts, urlParameters } from '../database-url/index.ts';
import { MIGRATION_TABLE } from './migrations/index.ts';
import {
  membershipsToLeave,
  type Requirement,
  requirementOfSearchPath,
  requirementsOf,
  requirementsOfExistence,
  requirementsOfOwner,
  requirementsOfRole,
  type SchemaContext,
} from './rights.ts';
import type { Grants } from './schema-status.ts';

/** Returns the role in a database URL, or the driver's default for a URL without one. */
export const roleOf = (url: string): string => {
  const { username } = new URL(splitHosts(url)[0] ?? url);
  return urlParameters(url).get('user') || decodeURIComponent(username) || (new Client().user ?? '');
};

const findUnmet = async (em: EntityManager, requirements: readonly Requirement[]): Promise<readonly Requirement[]> => {
  const states = requirements.map(({ isMet }) => isMet).join(', ');
  const [row] = await em.execute<readonly [{ readonly met: readonly boolean[] }]>(`select array[${states}] as met`);
  return requirements.filter((_, at) => !row.met[at]);
};

const readContext = async (em: EntityManager): Promise<SchemaContext> => {
  const [context] = await em.execute<readonly [SchemaContext]>(
    `select current_user::text as owner, current_database()::text as database, coalesce(current_schema(), 'public')::text as schema, current_schemas(false)::text[] as path`,
  );
  return context;
};

const statementsOf = (requirements: readonly Requirement[]): readonly string[] =>
  requirements.map(({ statement }) => statement);

// Without the grant option, PostgreSQL refuses some statements and only warns about others.
const tryStatement = (em: EntityManager, { statement }: Requirement): Promise<unknown> =>
  em.execute(`do ${escapeLiteral(`begin ${statement}; exception when insufficient_privilege then null; end`)}`);

/** Returns the statements that fix the role itself. Until they are run, granting or revoking rights achieves little. */
const faultsOfRole = async (em: EntityManager, role: string, context: SchemaContext): Promise<readonly string[]> => {
  const missing = await findUnmet(em, requirementsOfExistence(role));
  if (missing.length > 0) return statementsOf(missing);
  const excess = await findUnmet(em, requirementsOfRole(role, context));
  const joined = await em.execute<readonly { readonly name: string }[]>(membershipsToLeave(role, context));
  const leave = joined.map(({ name }) => `revoke ${escapeIdentifier(name)} from ${escapeIdentifier(role)}`);
  return [...statementsOf(excess), ...leave];
};

/** Grants the role of a URL the rights to serve and revokes all others, as far as the connection's role may do so. */
export const grantTo = async (em: EntityManager, url: string): Promise<Grants> => {
  const role = roleOf(url);
  const context = await readContext(em);
  if (context.owner === role) return { role, granted: [], refused: [] };
  const faults = await faultsOfRole(em, role, context);
  if (faults.length > 0) return { role, granted: [], refused: faults };
  const searchPath = settingsInUrl(url).has('search_path') ? [] : [requirementOfSearchPath(role, context)];
  const before = await findUnmet(em, [...requirementsOf(role, context), ...searchPath]);
  for (const requirement of before) await tryStatement(em, requirement);
  const refused = before.length > 0 ? await findUnmet(em, before) : [];
  return {
    role,
    granted: statementsOf(before.filter((requirement) => !refused.includes(requirement))),
    refused: statementsOf(refused),
  };
};

/** Returns the statements that an administrator must run before the owner can migrate. */
export const missingRights = async (em: EntityManager): Promise<readonly string[]> =>
  statementsOf(await findUnmet(em, requirementsOfOwner(await readContext(em))));

/** Returns the statements that the session's role needs, as the owner of the tables or to serve. Changes nothing. */
export const roleFaults = async (em: EntityManager): Promise<readonly string[]> => {
  const session = await readContext(em);
  const [tables] = await em.execute<readonly Pick<SchemaContext, 'owner' | 'schema'>[]>(
    `select pg_get_userbyid(relowner)::text as owner, nspname::text as schema
       from pg_class join pg_namespace n on n.oid = relnamespace
      where relname = '${MIGRATION_TABLE}' order by nspname = any(current_schemas(false)) desc limit 1`,
  );
  const role = session.owner;
  if (tables === undefined || tables.owner === role) return missingRights(em);
  const context = { ...session, ...tables, path: [tables.schema] };
  const faults = await faultsOfRole(em, role, context);
  const requirements = [...requirementsOf(role, context), requirementOfSearchPath(role, context)];
  return [...faults, ...statementsOf(await findUnmet(em, requirements))];
};

/** Stores in a pool's role, for its database, the settings of every session. Returns the statements that it ran. */
export const storeSettings = async (pool: Pool, options: ConnectionOptions): Promise<readonly string[]> => {
  // The settings `name=value` that are stored for both.
  const { rows } = await pool.query<{
    role: string;
    database: string;
    settings: readonly string[];
  }>(`select rolname::text as role, datname::text as database,
      coalesce((select setconfig from pg_db_role_setting where setrole = r.oid and setdatabase = d.oid), '{}') as settings
    from pg_roles r, pg_database d where rolname = current_user and datname = current_database()`);
  const statements = rows.flatMap(({ role, database, settings }) =>
    Object.entries(sessionSettings(options))
      .filter(([name, value]) => !settings.includes(`${name}=${value}`))
      .map(([name, value]) => {
        const target = `role ${escapeIdentifier(role)} in database ${escapeIdentifier(database)}`;
        return `alter ${target} set ${name} = ${escapeLiteral(value)}`;
      }),
  );
  // One text is one transaction.
  await pool.query(statements.join(';'));
  return statements;
};
