import { type Actor, inGroupOrder, makeActor, parseUuid } from './user.ts';

/**
 * Returns the actor that the claims of an access token describe, for another service that has verified the token with
 * the keys from `GET /api/auth/keys/`. Returns null for claims that this service would not have issued; `can` and
 * `explain` deny everything to null. Ignores unknown groups. Never throws.
 *
 * The rights are those at the time the token was issued, which may be as old as the token's lifetime. This service
 * itself reads current rights on every request.
 */
export const actorFromClaims = (claims: unknown): Actor | null => {
  if (!isRecord(claims)) return null;
  const { sub, username, division_id, groups, is_staff: isStaff, is_superuser: isSuperuser } = claims;
  const id = uuidOf(sub);
  const divisionId = division_id === null ? null : uuidOf(division_id);
  if (id === undefined || divisionId === undefined || typeof username !== 'string') return null;
  if (!Array.isArray(groups) || typeof isStaff !== 'boolean' || typeof isSuperuser !== 'boolean') return null;
  return makeActor({ id, username, divisionId, groups: inGroupOrder(groups), isActive: true, isStaff, isSuperuser });
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const uuidOf = (value: unknown): string | undefined => (typeof value === 'string' ? parseUuid(value) : undefined);
