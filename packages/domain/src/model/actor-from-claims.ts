import { type Actor, inGroupOrder, parseUuid } from './user.ts';

/**
 * Who the claims of an access token are about, for another service that has checked the token itself (`GET
 * /api/auth/keys/`): the shape of `AccessClaims`. Null for what this service would not have issued; `can` and `explain`
 * deny everything to null. Groups that are not known here give no right. Never throws.
 *
 * The rights are those of the moment at which the token was issued, up to its lifetime ago, and whoever it is about was
 * active then. This service itself reads them anew at every request.
 */
export const actorFromClaims = (claims: unknown): Actor | null => {
  if (!isRecord(claims)) return null;
  const { sub, username, division_id, groups, is_staff: isStaff, is_superuser: isSuperuser } = claims;
  const id = uuidOf(sub);
  const divisionId = division_id === null ? null : uuidOf(division_id);
  if (id === undefined || divisionId === undefined || typeof username !== 'string') return null;
  if (!Array.isArray(groups) || typeof isStaff !== 'boolean' || typeof isSuperuser !== 'boolean') return null;
  return {
    id,
    username,
    divisionId,
    groups: inGroupOrder(groups),
    isActive: true,
    isStaff,
    isSuperuser,
  };
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const uuidOf = (value: unknown): string | undefined => (typeof value === 'string' ? parseUuid(value) : undefined);
