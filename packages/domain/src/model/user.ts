import type { DivisionId, DivisionReference } from './division.ts';
import type { Revision } from './revision.ts';
import type { SessionId } from './session.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a value is a UUID in lower case, the only form in which ids are stored and compared. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

/** Returns a UUID in lower case from text in any case; undefined if the text is not a UUID (RFC 9562, section 4). */
export const parseUuid = (text: string): string | undefined => {
  const lower = text.toLowerCase();
  return isUuid(lower) ? lower : undefined;
};

/** Identifier of a user: a UUID (version 7) in lower case. */
export type UserId = string;

/** Identifier of a personal access token: a UUID (version 7) in lower case. It is no secret. */
export type PersonalTokenId = string;

/** A day: `YYYY-MM-DD` (ISO 8601). */
export type CalendarDate = string;

/** An instant in UTC with milliseconds: `YYYY-MM-DDTHH:MM:SS.sssZ` (ISO 8601). Text order equals time order. */
export type Instant = string;

/** Returns the instant a number of seconds later. */
export const addSeconds = (instant: Instant, seconds: number): Instant =>
  new Date(Date.parse(instant) + seconds * 1000).toISOString();

/** A member of the chapter, without the password. Field rules are in {@link userRules}. See contract §4. */
export interface User {
  readonly id: UserId;
  /** The login name; unique regardless of case. */
  readonly username: string;
  /** Unique regardless of case, or null. */
  readonly email: string | null;
  /** May be empty. */
  readonly firstName: string;
  /** May be empty. */
  readonly lastName: string;
  /** The one division that the user belongs to. */
  readonly division: DivisionReference;
  /** Without duplicates, in the order of `GROUPS`; may be empty. */
  readonly groups: readonly Group[];
  readonly birthdate: CalendarDate | null;
  /** Whether the user may log in. Setting it to false invalidates all tokens. */
  readonly isActive: boolean;
  /** Whether the user is an Administrator, as `isSuperuser`. Only the operator changes it. */
  readonly isStaff: boolean;
  /** Whether the user is an Administrator, as `isStaff`. Only the operator changes it. */
  readonly isSuperuser: boolean;
  readonly dateJoined: Instant;
  /** Changes with every change of the user, including the password, and of the division's name. */
  readonly revision: Revision;
}

/** A user to create. The repository adds the revision and the division's name. */
export interface NewUser extends Omit<User, 'division' | 'revision'> {
  readonly divisionId: DivisionId;
  /** Null if the user cannot log in until a password is set. */
  readonly passwordHash: PasswordHash | null;
}

/** A stored password: the base64 of a scrypt-kdf hash with parameters and salt. Never returned, never logged. */
export type PasswordHash = string;

/** A user with their password hash. */
export interface Credentials {
  readonly user: User;
  /** Null if the user cannot log in until a password is set. */
  readonly passwordHash: PasswordHash | null;
}

/** Whether a user is an Administrator: staff or superuser. It is not a group. See contract §3. */
export const isAdministrator = (user: Pick<User, 'isStaff' | 'isSuperuser'>): boolean =>
  user.isStaff || user.isSuperuser;

/** Whether a user is an active Leader. A division never loses its last one through the API. See contract §3. */
export const isActiveLeader = (user: Pick<User, 'isActive' | 'groups'>): boolean =>
  user.isActive && user.groups.includes('Leader');

/**
 * The groups (roles) in the order in which responses list them. A list ordered by `groups` ranks them in this order
 * too. See contract §4.
 */
export const GROUPS = Object.freeze(['Leader', 'Guest', 'User'] as const);

/** A group of users. Rights of several groups add up. See contract §3. */
export type Group = (typeof GROUPS)[number];

/** The rights of each group, in a sentence for API clients. See contract §3. */
export const GROUP_DESCRIPTIONS: Readonly<Record<Group, string>> = {
  Leader: 'Creates, reads, updates and deletes the users of their division; reads and updates the division.',
  Guest: 'Reads their division and its users.',
  User: 'Reads and updates their own user.',
};

/** Whether a value is the exact name of a group in {@link GROUPS}. */
export const isGroup = (value: unknown): value is Group => (GROUPS as readonly unknown[]).includes(value);

/** Copies an array of groups in the order of {@link GROUPS}; null for any other value, also with a duplicate. */
export const readGroups = (value: unknown): readonly Group[] | null => {
  if (!Array.isArray(value)) return null;
  const { length } = value;
  if (length > GROUPS.length) return null;
  // The iterator of an array may return other values than its elements.
  const names = Array.from({ length }, (_, at): unknown => value[at]);
  const groups = inGroupOrder(names);
  return groups.length === names.length ? groups : null;
};

/** Returns the valid groups among the values, without duplicates, in the order of {@link GROUPS}. */
export const inGroupOrder = (groups: readonly unknown[]): readonly Group[] =>
  GROUPS.filter((group) => groups.includes(group));

/** Runs work while a request holds no place among those that are served, and returns the result when it has one again. */
export type Pause = <T>(work: () => Promise<T>) => Promise<T>;

/** The origin of a request: its id for the audit trail, its network for the limits of logins, and its connection. */
export interface Origin {
  /** The id under which the request is logged, or null outside a request. */
  readonly requestId: string | null;
  /** The client's network (IPv4 /24, IPv6 /64) as text, or null outside a request. */
  readonly network: string | null;
  /** Whether the client has disconnected, or the request's deadline has passed. Absent if there is no connection. */
  readonly isAbandoned?: (() => boolean) | undefined;
  /** Called around waits in which the request holds no place: hashes, queues, batches of writes. Absent without places. */
  readonly pause?: Pause | undefined;
}

/** The personal access token with which a user acts. */
interface ActorToken {
  readonly id: PersonalTokenId;
  /** Whether it only permits requests that change nothing. */
  readonly isReadOnly: boolean;
}

/** The acting user, with their current rights. */
export interface Actor {
  readonly id: UserId;
  /** The login name, for the audit trail. */
  readonly username: string;
  /** The actor's division; null if it no longer exists, which removes all rights in divisions. */
  readonly divisionId: DivisionId | null;
  readonly groups: readonly Group[];
  /** Inactive actors have no rights. */
  readonly isActive: boolean;
  /** Whether the actor is an Administrator, as `isSuperuser`. */
  readonly isStaff: boolean;
  /** Whether the actor is an Administrator, as `isStaff`. */
  readonly isSuperuser: boolean;
  /** The session of the access token; absent outside a request and with a personal access token. */
  readonly sessionId?: SessionId;
  /** The personal access token of the request; absent with a session. It limits what the actor may do with their rights. */
  readonly token?: ActorToken;
  readonly origin?: Origin;
}

/** The properties of a user that decide what they may do. */
type UserRights = Pick<User, 'id' | 'username' | 'division' | 'groups' | 'isActive' | 'isStaff' | 'isSuperuser'>;

/** The actors that {@link makeActor} made. They are frozen, so that each still is as it was when it was checked. */
const checkedActors = new WeakSet<object>();

/**
 * Returns an immutable copy of an actor that decisions do not check again, unlike any other value. The copy has the
 * actor's own properties too, which rules of another service may read. A copy of a malformed actor has no rights.
 */
export const makeActor = <A extends Actor>(value: A): A => {
  const actor = readActor(value);
  if (!actor) return { ...value };
  Object.freeze(actor.groups);
  checkedActors.add(Object.freeze(actor));
  return actor as A;
};

/** Returns a stored user as an actor, like {@link makeActor}. */
export const actorOf = ({ id, username, division, groups, isActive, isStaff, isSuperuser }: UserRights): Actor =>
  makeActor({ id, username, divisionId: division.id, groups, isActive, isStaff, isSuperuser });

/**
 * Copies an actor, with all own properties. Reads each property once, so that a getter cannot return different values
 * to the check and to a rule. Returns the actor itself if {@link makeActor} made it, and null for a value that is not
 * an actor; throws if a getter throws.
 */
export const readActor = (value: unknown): Actor | null => {
  if (typeof value !== 'object' || value === null) return null;
  if (checkedActors.has(value)) return value as Actor;
  const {
    id,
    username,
    divisionId,
    groups: unorderedGroups,
    isActive,
    isStaff,
    isSuperuser,
    ...own
  } = value as Partial<typeof value & Actor>;
  const groups = readGroups(unorderedGroups);
  if (!isUuid(id) || typeof username !== 'string' || groups === null) return null;
  if (divisionId !== null && !isUuid(divisionId)) return null;
  if (typeof isActive !== 'boolean' || typeof isStaff !== 'boolean' || typeof isSuperuser !== 'boolean') return null;
  return { ...own, id, username, divisionId, groups, isActive, isStaff, isSuperuser };
};

/** The author of a change, as the audit trail records it. */
export interface Author {
  /** Null for the operator at the command line. */
  readonly userId: UserId | null;
  /** The author's username at the time of the change. */
  readonly name: string;
  /** The id under which the request is logged; null outside a request. */
  readonly requestId: string | null;
  /** Absent outside a request. */
  readonly origin?: Origin | undefined;
}

/** The operator at the command line: a caller without a user, and the author of their own changes. */
interface Operator extends Author {
  readonly kind: 'operator';
}

/**
 * The only operator. It is recognised by identity, so that no claims, no stored user, no value from JSON and no copy
 * ever is the operator.
 */
export const OPERATOR: Operator = Object.freeze({ kind: 'operator', userId: null, name: 'operator', requestId: null });

/** Whether a value is {@link OPERATOR} itself. */
export const isOperator = (value: unknown): value is Operator => value === OPERATOR;

/** Who performs an action: a user, or the operator. */
export type Caller = Actor | Operator;

/** Returns a caller as the author of changes. */
export const authorOf = (caller: Caller): Author => {
  if (isOperator(caller)) return caller;
  const { id, origin, username } = caller;
  return { userId: id, name: username, requestId: origin?.requestId ?? null, origin };
};
