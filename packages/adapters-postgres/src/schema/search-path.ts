import { escapeIdentifier, escapeLiteral } from 'pg';
import { MIGRATION_TABLE } from './migrations/index.ts';
import type { Requirement, SchemaContext } from './rights.ts';

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
