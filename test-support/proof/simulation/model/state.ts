import type {
  AuditAction,
  DivisionId,
  Group,
  PasswordHash,
  SessionId,
  UserId,
} from '../../../../packages/domain/src/ports/index.ts';

/** A user in the model. Objects are replaced, never changed. */
export interface ModelUser {
  readonly id: UserId;
  readonly username: string;
  readonly email: string | null;
  readonly firstName: string;
  readonly groups: readonly Group[];
  readonly isActive: boolean;
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
  readonly divisionId: DivisionId;
  readonly password: string;
  /** The latest stored hash. */
  readonly hash: PasswordHash;
  /** Counts the changes. */
  readonly version: number;
}

/** A division in the model. */
export interface ModelDivision {
  readonly id: DivisionId;
  readonly name: string;
  readonly logo: string | null;
  readonly version: number;
  /** Counts the changes of the name, which also change the revisions of its users. */
  readonly nameVersion: number;
}

/** Refresh tokens that were issued for one token or its siblings. The first use of any of them consumes all. */
interface Siblings {
  /** The time of the first use of one of them, in milliseconds since 1970. */
  consumedAt: number | null;
  /** The tokens that were issued for them. */
  next: Siblings | null;
  /** How many tokens were issued for them. */
  issued: number;
}

/** A refresh token in the model. */
interface ModelToken {
  readonly sessionId: SessionId;
  readonly siblings: Siblings;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A session in the model. */
interface ModelSession {
  readonly userId: UserId;
  /** In milliseconds since 1970. */
  readonly endsAt: number;
  /** The expiry of its last refresh token, in milliseconds since 1970. */
  tokensUntil: number;
}

/** The password link of a user. */
export interface ModelLink {
  readonly digest: string;
  /** Null for the operator. */
  readonly issuerId: UserId | null;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** An expected entry of the audit trail. */
export interface ModelEntry {
  readonly action: AuditAction;
  readonly authorId: UserId | null;
  readonly targetId: string;
  readonly requestId: string | null;
  /** The changed fields with their new values, as JSON. */
  readonly changes: string;
}

/** A creation under an idempotency key. */
export interface ModelCreation {
  /** The body without the password, as text. */
  readonly request: string;
  readonly user: ModelUser;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** The expected state of the service, as if commands ran one after the other. */
export interface Model {
  readonly users: Map<UserId, ModelUser>;
  readonly divisions: Map<DivisionId, ModelDivision>;
  /** Sessions that have not been ended; they may have expired. */
  readonly sessions: Map<SessionId, ModelSession>;
  /** The user of every session that was ever started. */
  readonly owners: Map<SessionId, UserId>;
  /** By digest. */
  readonly tokens: Map<string, ModelToken>;
  /** Links that are not void, by user; they may have expired. */
  readonly links: Map<UserId, ModelLink>;
  /** The digest of every link that was ever created. */
  readonly digests: Set<string>;
  /** By author and key. */
  readonly creations: Map<string, ModelCreation>;
  /** The entries of the trails of all divisions. */
  readonly audit: ModelEntry[];
  /** The state of each revision, and the revision of each state. */
  readonly revisions: Map<string, string>;
}

/** Makes an empty model. */
export const makeModel = (): Model => ({
  users: new Map(),
  divisions: new Map(),
  sessions: new Map(),
  owners: new Map(),
  tokens: new Map(),
  links: new Map(),
  digests: new Set(),
  creations: new Map(),
  audit: [],
  revisions: new Map(),
});

/** Returns the state that a user's revision identifies. */
export const userState = ({ divisions }: Model, { id, version, divisionId }: ModelUser): string =>
  `${id} ${version}.${divisions.get(divisionId)?.nameVersion}`;

/** Returns the state that a division's revision identifies. */
export const divisionState = ({ id, version }: ModelDivision): string => `${id} ${version}`;

/** Returns whether a revision identifies exactly this state, and this state has no other revision. Records both. */
export const isRevisionOf = ({ revisions }: Model, id: string, revision: string, state: string): boolean => {
  const name = `${id} revision ${revision}`;
  const known = revisions.get(name) ?? state;
  const named = revisions.get(state) ?? name;
  revisions.set(name, known).set(state, named);
  return known === state && named === name;
};

/** Returns whether one of the caller's revisions identifies the state; true if the caller sent none. */
export const meets = (model: Model, id: string, known: readonly string[] | undefined, state: string): boolean =>
  !known || known.some((revision) => model.revisions.get(`${id} revision ${revision}`) === state);

/** Ends all sessions of a user. */
export const endSessions = ({ sessions }: Model, userId: UserId): void => {
  for (const [id, session] of sessions) if (session.userId === userId) sessions.delete(id);
};
