import type { DivisionId } from './division.ts';
import { type Group, readGroups } from './group.ts';
import type { SessionId } from './session.ts';
import type { User, UserId } from './user.ts';
import { isUuid } from './uuid.ts';

/** Where a request came from. The audit trail and the login limits keep id and network. */
export interface Origin {
  /** The id under which the request is logged, or null outside of a request. */
  readonly requestId: string | null;
  /** The client's network (IPv4 /24, IPv6 /64) in text, or null outside of a request. */
  readonly network: string | null;
  /** Whether the client has disconnected, so that no response can reach it. Absent where there is no connection. */
  readonly isAbandoned?: () => boolean;
}

/** Who acts, with the rights that count at this moment. */
export interface Actor {
  readonly id: UserId;
  /** The login name, for the audit trail. */
  readonly username: string;
  /** The one division they belong to; null when it is gone, which gives no right at all in any division. */
  readonly divisionId: DivisionId | null;
  readonly groups: readonly Group[];
  /** An inactive actor may do nothing. */
  readonly isActive: boolean;
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
  /** The session that the access token belongs to; absent outside of a request. */
  readonly sessionId?: SessionId;
  readonly origin?: Origin;
}

/** Takes a user's rights as they are stored, for decisions about what the user may do. */
export const actorOf = ({ id, username, division, groups, isActive, isStaff, isSuperuser }: User): Actor => ({
  id,
  username,
  divisionId: division.id,
  groups,
  isActive,
  isStaff,
  isSuperuser,
});

/**
 * Copies what rules read of an actor: everything but session and origin. Each property is read once, so that a getter cannot give
 * one value to the check and another to the rule. Null for a value that is no actor; throws what a getter throws.
 */
export const readActor = (value: unknown): Actor | null => {
  if (typeof value !== 'object' || value === null) return null;
  const {
    id,
    username,
    divisionId,
    groups: named,
    isActive,
    isStaff,
    isSuperuser,
  } = value as Partial<typeof value & Actor>;
  const groups = readGroups(named);
  if (!isUuid(id) || typeof username !== 'string' || groups === null) return null;
  if (divisionId !== null && !isUuid(divisionId)) return null;
  if (typeof isActive !== 'boolean' || typeof isStaff !== 'boolean' || typeof isSuperuser !== 'boolean') return null;
  return { id, username, divisionId, groups, isActive, isStaff, isSuperuser };
};

/** Who is written down as having made a change. */
export interface Author {
  /** Null for the operator at the command line. */
  readonly userId: UserId | null;
  readonly name: string;
  readonly requestId: string | null;
}

/** The author that an acting user is. */
export const authorOf = (actor: Actor): Author => ({
  userId: actor.id,
  name: actor.username,
  requestId: actor.origin?.requestId ?? null,
});

/** The operator at the command line, whom no rule of the policy binds. */
export const OPERATOR: Author = { userId: null, name: 'operator', requestId: null };
