import type {
  AuditAction,
  DivisionId,
  Group,
  PasswordHash,
  SessionId,
  UserId,
} from '../../../packages/domain/src/index.ts';

/** A user in the model. Never changed, only replaced. */
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
  /** The hash that was stored last. */
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
  /** Counts the changes of the name, which are changes of its users' revisions too. */
  readonly nameVersion: number;
}

/** The refresh tokens that were issued for one consumed token or its siblings. */
interface Siblings {
  /** When the first of them was used, in milliseconds since 1970. */
  consumedAt: number | null;
  /** The tokens issued for them. */
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
  /** When the last of its refresh tokens expires. */
  tokensUntil: number;
}

/** One change that must be in the audit trail. */
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
  /** The body without the password, as one text. */
  readonly request: string;
  readonly user: ModelUser;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** What a service that does one thing after the other would hold. */
export interface Model {
  readonly users: Map<UserId, ModelUser>;
  readonly divisions: Map<DivisionId, ModelDivision>;
  /** Sessions that have not been ended; they may have expired. */
  readonly sessions: Map<SessionId, ModelSession>;
  /** The user of every session there ever was. */
  readonly owners: Map<SessionId, UserId>;
  /** By digest. */
  readonly tokens: Map<string, ModelToken>;
  /** By author and key. */
  readonly creations: Map<string, ModelCreation>;
  readonly audit: ModelEntry[];
  /** The state that each revision stands for, and the revision of each state. */
  readonly revisions: Map<string, string>;
}

/** An empty model. */
export const makeModel = (): Model => ({
  users: new Map(),
  divisions: new Map(),
  sessions: new Map(),
  owners: new Map(),
  tokens: new Map(),
  creations: new Map(),
  audit: [],
  revisions: new Map(),
});

/** The state that a user's revision stands for. */
export const userState = ({ divisions }: Model, { id, version, divisionId }: ModelUser): string =>
  `${id} ${version}.${divisions.get(divisionId)?.nameVersion}`;

/** The state that a division's revision stands for. */
export const divisionState = ({ id, version }: ModelDivision): string => `${id} ${version}`;

/** Whether a revision stands for a state, and stood for no other, nor this state for another revision. */
export const isRevisionOf = ({ revisions }: Model, id: string, revision: string, state: string): boolean => {
  const name = `${id} revision ${revision}`;
  const known = revisions.get(name) ?? state;
  const named = revisions.get(state) ?? name;
  revisions.set(name, known).set(state, named);
  return known === state && named === name;
};

/** Whether any of the revisions that a caller knows stands for the state; true where they gave none. */
export const meets = (model: Model, id: string, known: readonly string[] | undefined, state: string): boolean =>
  !known || known.some((revision) => model.revisions.get(`${id} revision ${revision}`) === state);

/** Ends all sessions of a user. */
export const endSessions = ({ sessions }: Model, userId: UserId): void => {
  for (const [id, session] of sessions) if (session.userId === userId) sessions.delete(id);
};
