import type { DivisionId, DivisionReference } from './division.ts';
import type { Revision } from './revision.ts';
import type { SessionId } from './session.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Tells whether a value is a UUID in lower case, the only form in which ids are stored and compared. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

/** A UUID in lower case, from text in any case; undefined when the text is no UUID (RFC 9562, section 4). */
export const parseUuid = (text: string): string | undefined => {
  const lower = text.toLowerCase();
  return isUuid(lower) ? lower : undefined;
};

/** Identifier of a user: a UUID (version 7) in lower case. */
export type UserId = string;

/** A day: `YYYY-MM-DD` (ISO 8601). */
export type CalendarDate = string;

/** A moment in UTC with milliseconds: `YYYY-MM-DDTHH:MM:SS.sssZ` (ISO 8601), so that text order is time order. */
export type Instant = string;

/** A member of the chapter. Specification, section 2; field rules in {@link userRules}. Passwords are never part of it. */
export interface User {
  readonly id: UserId;
  /** The login name: unique without regard to case. */
  readonly username: string;
  /** Unique without regard to case, or null. */
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  /** The one division that the user belongs to. */
  readonly division: DivisionReference;
  /** Without duplicates, in the order of `GROUPS`; may be empty. */
  readonly groups: readonly Group[];
  readonly birthdate: CalendarDate | null;
  /** False: cannot log in, and tokens issued before stop working. */
  readonly isActive: boolean;
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
  readonly dateJoined: Instant;
  /** Changes with every change of the user, shown or not, and of the division's name. */
  readonly revision: Revision;
}

/** A user as a creation stores it: the service adds the revision and the division's name. */
export interface NewUser extends Omit<User, 'division' | 'revision'> {
  readonly divisionId: DivisionId;
  /** The stored form of the password, or null: cannot log in until one is set. */
  readonly passwordHash: PasswordHash | null;
}

/** A password as it is stored: the base64 of a scrypt-kdf hash with its parameters and salt. Never shown, never logged. */
export type PasswordHash = string;

/** An Administrator is staff or superuser; it is not a group. Specification, section 5. */
export const isAdministrator = (user: Pick<User, 'isStaff' | 'isSuperuser'>): boolean =>
  user.isStaff || user.isSuperuser;

/** Whether a user keeps their division led: an active Leader. A division never loses its last one. Contract, section 3. */
export const isActiveLeader = (user: Pick<User, 'isActive' | 'groups'>): boolean =>
  user.isActive && user.groups.includes('Leader');

/**
 * The groups (roles) in the order in which every answer lists them, which is also their rank when a list is ordered
 * by `groups`. Specification, sections 2 and 5.
 */
export const GROUPS = Object.freeze(['Leader', 'Guest', 'User'] as const);

/** A named group of users. Rights of several groups add up. Specification, section 5. */
export type Group = (typeof GROUPS)[number];

/** What each group may do, in a sentence that an API client can show. Specification, section 5. */
export const GROUP_DESCRIPTIONS: Readonly<Record<Group, string>> = {
  Leader: 'Creates, reads, updates and deletes the users of the own division; reads and updates the division.',
  Guest: 'Reads the own division and its users.',
  User: 'Reads and updates the own user.',
};

/** Tells whether a value is the name of a group, exactly as written in {@link GROUPS}. */
export const isGroup = (value: unknown): value is Group => (GROUPS as readonly unknown[]).includes(value);

/**
 * A copy of an array of groups, in the order of {@link GROUPS}. Null for anything else: no array, or an array with a
 * duplicate or an element that is no group.
 */
export const readGroups = (value: unknown): readonly Group[] | null => {
  if (!Array.isArray(value) || value.length > GROUPS.length) return null;
  const names = Array.from({ length: value.length }, (_, at): unknown => value[at]);
  const groups = inGroupOrder(names);
  return groups.length === names.length ? groups : null;
};

/** Those that are groups, each once and in the order of {@link GROUPS}. */
export const inGroupOrder = (groups: readonly unknown[]): readonly Group[] =>
  GROUPS.filter((group) => groups.includes(group));

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
