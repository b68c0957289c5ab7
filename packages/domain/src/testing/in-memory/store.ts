import { DIVISION_FIELDS } from '../../fields/division-fields.ts';
import { fieldsWith } from '../../fields/field-table.ts';
import { userFields } from '../../fields/user-fields.ts';
import type { ListedUser } from '../../lists/list-fields.ts';
import type { AuditEntry, AuditedAction } from '../../model/audit-entry.ts';
import type { Division, DivisionId } from '../../model/division.ts';
import type { NewPersonalToken, PersonalToken } from '../../model/personal-token.ts';
import { pick } from '../../model/pick.ts';
import type { RefreshCount, StoredToken } from '../../model/refresh-token-rules.ts';
import type { SessionId } from '../../model/session.ts';
import {
  type Actor,
  type Author,
  actorOf,
  type CalendarDate,
  type Instant,
  type NewUser,
  type PersonalTokenId,
  type User,
  type UserId,
} from '../../model/user.ts';
import type { StoredSession } from '../../ports/session-repository.ts';
import type { Clock, IdGenerator } from '../../ports/system.ts';
import type { PriorCreation } from '../../ports/user-repository.ts';

/** A user as the in-memory adapters store it; `version` counts its changes. */
export interface StoredUser extends NewUser {
  readonly version: number;
}

/**
 * A division as the in-memory adapters store it. `nameVersion` counts the changes of its name; the revisions of its
 * users contain it, because users are returned with the name of their division.
 */
export interface StoredDivision extends Omit<Division, 'revision'> {
  readonly version: number;
  readonly nameVersion: number;
}

/** A refresh token as the in-memory adapters store it, by its digest. */
interface StoredRefreshToken extends Omit<StoredToken, 'issued'> {
  readonly sessionId: SessionId;
  /** Digest of the token that was consumed first, or null. */
  readonly spentBy: string | null;
  /** The `spentBy` of the token that this one was issued for, shared with its siblings; null for the first token. */
  readonly parent: string | null;
}

/** A session as the in-memory adapters store it. */
interface SessionRow extends Omit<StoredSession, 'id'> {
  readonly userId: UserId;
  /** The digest of the family of its tokens; null before the first refresh. */
  readonly family: string | null;
  readonly counted: RefreshCount | null;
}

/** A password link as the in-memory adapters store it, by its user. */
interface StoredPasswordLink {
  readonly digest: string;
  readonly issuerId: UserId | null;
  readonly expiresAt: Instant;
}

/** A window of a limit as the in-memory adapters store it; `endsAt` is in seconds since 1970. */
export interface StoredWindow {
  readonly endsAt: number;
  readonly count: number;
}

/** An earlier creation as the in-memory adapters store it, with the password hash that it stored. */
interface StoredCreation extends PriorCreation {
  readonly authorId: UserId | null;
  readonly key: string;
  readonly at: Instant;
}

/**
 * Returns an empty store, the data that all in-memory adapters of a world share. Rows are replaced, never mutated: a
 * row once read never changes.
 */
export const makeStore = (clock: Clock, ids: IdGenerator) => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    clock,
    ids,
    divisions: new Map<DivisionId, StoredDivision>(),
    users: new Map<UserId, StoredUser>(),
    sessions: new Map<SessionId, SessionRow>(),
    refreshTokens: new Map<string, StoredRefreshToken>(),
    passwordLinks: new Map<UserId, StoredPasswordLink>(),
    tokens: new Map<PersonalTokenId, NewPersonalToken & PersonalToken>(),
    /** The days on which users last logged in or refreshed a session. */
    activity: new Map<UserId, CalendarDate>(),
    /** Earlier creations by author and idempotency key. */
    creations: new Map<string, StoredCreation>(),
    /** Windows of the limits by the keys of their counters. */
    counters: new Map<string, StoredWindow>(),
    audit: [] as AuditEntry[],
    /**
     * Runs a callback after all earlier callbacks have ended, like a lock on all data. A callback is synchronous and
     * throws before its first write, so no rollback is needed.
     */
    exclusive: <T>(work: () => T): Promise<T> => {
      const result = last.then(work);
      last = result.catch(() => undefined);
      return result;
    },
  };
};

/** The store that {@link makeStore} makes. */
export type Store = ReturnType<typeof makeStore>;

/** Converts a stored division to the form that ports return. */
export const divisionOf = (stored: StoredDivision): Division => ({
  ...pick(stored, DIVISION_FIELDS),
  revision: `${stored.version}`,
});

/** Converts a stored user to the form that ports return. */
export const userOf = (store: Store, stored: StoredUser): User => {
  const { version, divisionId, passwordHash: _, ...user } = stored;
  const division = store.divisions.get(divisionId);
  if (!division) throw new Error('the division of a stored user is not stored');
  return {
    ...user,
    division: { id: division.id, name: division.name },
    revision: `${version}.${division.nameVersion}`,
  };
};

const LISTED_FIELDS = fieldsWith(userFields, 'listed', true);

/** Returns the users of a division as lists show them, in no particular order. */
export const membersOf = (store: Store, divisionId: DivisionId): readonly ListedUser[] =>
  [...store.users.values()]
    .filter((user) => user.divisionId === divisionId)
    .map((user) => pick(userOf(store, user), LISTED_FIELDS));

/** Returns the users of a division as the list of references shows them. */
export const referencesOf = (store: Store, divisionId: DivisionId) =>
  membersOf(store, divisionId).map(({ id, username }) => ({ id, username }));

/** Returns the rights of a stored user; null for the operator and for a user who is not stored. */
export const storedActor = (store: Store, id: UserId | null): Actor | null => {
  const user = id === null ? undefined : store.users.get(id);
  return user ? actorOf(userOf(store, user)) : null;
};

/** Whether a session has neither ended nor expired. */
export const isActiveSession = (store: Store, id: SessionId): boolean =>
  (store.sessions.get(id)?.expiresAt ?? '') > store.clock.now();

/** Returns all sessions of a user that have not ended, expired or not. */
export const sessionsOf = (store: Store, id: UserId): readonly StoredSession[] =>
  [...store.sessions]
    .filter(([, { userId }]) => userId === id)
    .map(([sessionId, { createdAt, refreshedAt, expiresAt, userAgent }]) => ({
      id: sessionId,
      createdAt,
      refreshedAt,
      expiresAt,
      userAgent,
    }));

/** Stores the current day as the day of a user's last activity. */
export const noteActivity = (store: Store, id: UserId): void => {
  store.activity.set(id, store.clock.now().slice(0, 10));
};

/** Ends every session of a user. */
export const endSessionsOf = (store: Store, id: UserId): void => {
  for (const [sessionId, { userId }] of store.sessions) if (userId === id) store.sessions.delete(sessionId);
};

/** Ends every personal access token of a user. */
export const endTokensOf = (store: Store, id: UserId): void => {
  for (const [tokenId, { userId }] of store.tokens) if (userId === id) store.tokens.delete(tokenId);
};

/** Writes an entry of the audit trail. */
export const writeEntry = (store: Store, { name, requestId, userId }: Author, audited: AuditedAction): void => {
  const { action, ...about } = audited;
  const author = { authorId: userId, authorName: name, requestId };
  store.audit.push({ id: store.ids.next(), at: store.clock.now(), action, ...author, leftDivisionId: null, ...about });
};
