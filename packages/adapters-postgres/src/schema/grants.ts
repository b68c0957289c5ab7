import type { EntityManager } from '@mikro-orm/postgresql';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { settingsInUrl } from '../connection/session-settings.ts';
import { splitHosts } from '../database-url/index.ts';
import { type Place, type Requirement, requirementsOf, requirementsOfOwner } from './rights.ts';
import { membershipsToLeave, requirementsOfName, requirementsOfRole } from './role-rights.ts';
import type { Grants } from './schema-status.ts';
import { requirementOfSearchPath } from './search-path.ts';

/** Returns the role that a database URL names, or the one that the driver takes for a URL without one. */
export const roleOf = (url: string): string => {
  const { searchParams, username } = new URL(splitHosts(url)[0] ?? url);
  return searchParams.get('user') || decodeURIComponent(username) || (new Client().user ?? '');
};

const unmet = async (em: EntityManager, requirements: readonly Requirement[]): Promise<readonly Requirement[]> => {
  const states = requirements.map(({ isMet }) => isMet).join(', ');
  const [row] = await em.execute<readonly [{ readonly met: readonly boolean[] }]>(`select array[${states}] as met`);
  return requirements.filter((_, at) => !row.met[at]);
};

const placeOf = async (em: EntityManager): Promise<Place> => {
  const [place] = await em.execute<readonly [Place]>(
    `select current_user::text as owner, current_database()::text as database, coalesce(current_schema(), 'public')::text as schema, current_schemas(false)::text[] as path`,
  );
  return place;
};

const statementsOf = (requirements: readonly Requirement[]): readonly string[] =>
  requirements.map(({ statement }) => statement);

// Without the right to grant, PostgreSQL refuses some statements and only warns about others.
const tryStatement = (em: EntityManager, { statement }: Requirement): Promise<unknown> =>
  em.execute(`do ${escapeLiteral(`begin ${statement}; exception when insufficient_privilege then null; end`)}`);

/** Returns the statements without which rights mean little: they concern the role itself, not what it was granted. */
const faultsOfRole = async (em: EntityManager, role: string, place: Place): Promise<readonly string[]> => {
  const missing = await unmet(em, requirementsOfName(role));
  if (missing.length > 0) return statementsOf(missing);
  const excess = await unmet(em, requirementsOfRole(role, place));
  const joined = await em.execute<readonly { readonly name: string }[]>(membershipsToLeave(role, place));
  const leave = joined.map(({ name }) => `revoke ${escapeIdentifier(name)} from ${escapeIdentifier(role)}`);
  return [...statementsOf(excess), ...leave];
};

/** Gives the role of a URL the rights to serve and takes others away, as far as the owner of the transaction's connection may. */
export const grantTo = async (em: EntityManager, url: string): Promise<Grants> => {
  const role = roleOf(url);
  const place = await placeOf(em);
  if (place.owner === role) return { role, granted: [], refused: [] };
  const faults = await faultsOfRole(em, role, place);
  if (faults.length > 0) return { role, granted: [], refused: faults };
  const searchPath = settingsInUrl(url).has('search_path') ? [] : [requirementOfSearchPath(role, place)];
  const before = await unmet(em, [...requirementsOf(role, place), ...searchPath]);
  for (const requirement of before) await tryStatement(em, requirement);
  const refused = before.length > 0 ? await unmet(em, before) : [];
  return {
    role,
    granted: statementsOf(before.filter((requirement) => !refused.includes(requirement))),
    refused: statementsOf(refused),
  };
};

/** Returns the statements without which the owner cannot migrate. */
export const missingRights = async (em: EntityManager): Promise<readonly string[]> =>
  statementsOf(await unmet(em, requirementsOfOwner(await placeOf(em))));
