import type { SentFields } from '../fields/field-check.ts';
import {
  CHANGEABLE_USER_FIELDS,
  importedDifferences,
  isSameUser,
  NEW_USER_DEFAULTS,
  userDifferences,
} from '../fields/user-checks.ts';
import { type AuditAction, type AuditedAction, userAudit } from '../model/audit-entry.ts';
import type { DivisionReference } from '../model/division.ts';
import { forbidden, lastLeader } from '../model/errors.ts';
import { pick } from '../model/pick.ts';
import type { Revision } from '../model/revision.ts';
import type { SessionId } from '../model/session.ts';
import { type Actor, isActiveLeader, type NewUser, type PasswordHash, type User } from '../model/user.ts';
import { authorize, authorizeFields } from '../policy/authorize.ts';
import { asTarget } from '../policy/rules.ts';
import { requirePasswordUnlikeNames, requireRevision, requireUnchangedPassword } from './rules.ts';

/** A stored user, read under a lock together with the author's current rights. */
export interface LockedUser {
  /** The author as stored now; null for the operator and for a deleted author. */
  readonly actor: Actor | null;
  readonly user: User;
  readonly passwordHash: PasswordHash | null;
  /** The division that the user is to move to, which cannot be deleted meanwhile; otherwise the present one. */
  readonly division: DivisionReference;
  /** Whether this user is the only active Leader of the division. */
  readonly isLastLeader: boolean;
  /** Whether this user is the only active Leader of a division that has other members, active or not. */
  readonly leadsOthersAlone: boolean;
}

/** What one write does to a user. An adapter applies it in one transaction. */
export interface UserWrite {
  readonly kind: 'create' | 'change' | 'delete';
  /** The values to store; of a deletion, those that were stored. The adapter assigns the revision. */
  readonly user: User;
  /** The password hash after the write, changed or not. */
  readonly passwordHash: PasswordHash | null;
  /** Whether the write ends all sessions of the user. */
  readonly endsSessions: boolean;
  /** Whether the write voids the password link of the user. */
  readonly voidsLink: boolean;
  readonly audit: AuditedAction;
}

/** Decides on a locked user. Throws to refuse. It has no side effects: a transaction that is retried decides again. */
export type DecideUserWrite = (locked: LockedUser) => UserWrite | 'unchanged';

/** Decides the creation of a user in a locked division. */
export const decideCreation = (newUser: NewUser, division: DivisionReference): UserWrite => {
  const { divisionId: _, passwordHash, ...fields } = newUser;
  const user = { ...fields, division, revision: '' };
  const changes = userDifferences(null, user, { passwordChanged: passwordHash !== null });
  const audit = userAudit('createUser', user, changes);
  return { kind: 'create', user, passwordHash, endsSessions: false, voidsLink: false, audit };
};

/** An option of the operator's use cases that change or delete users. */
export interface Forceable {
  /** Allows a change after which a division has members but no active Leader. False by default. */
  readonly force?: boolean | undefined;
}

/**
 * Refuses a change after which a division would have members but no active Leader, unless forced. `after` is the changed
 * user, or null for a deletion. Allows every change in a division that already has no active Leader. See contract §10.
 *
 * @throws DomainError `last_leader`.
 */
export const requireLeaderRemains = (
  { user, isLastLeader, leadsOthersAlone }: Pick<LockedUser, 'user' | 'isLastLeader' | 'leadsOthersAlone'>,
  after: User | null,
  { force = false }: Forceable = {},
): void => {
  if (force) return;
  const staysMember = after !== null && after.division.id === user.division.id;
  const leavesNoLeader = staysMember ? isLastLeader && !isActiveLeader(after) : leadsOthersAlone;
  if (leavesNoLeader) throw lastLeader();
};

type Differences = typeof userDifferences;

/** Returns the write of a changed user, with all that follows from the changes. */
const changeTo = (
  { user: before, passwordHash: oldHash }: Pick<LockedUser, 'user' | 'passwordHash'>,
  after: User,
  passwordHash: PasswordHash | null,
  action: AuditAction,
  differences: Differences = userDifferences,
): UserWrite => {
  const passwordChanged = passwordHash !== oldHash;
  return {
    kind: 'change',
    user: after,
    passwordHash,
    endsSessions: passwordChanged || !after.isActive,
    // See contract §11.
    voidsLink:
      passwordChanged ||
      before.division.id !== after.division.id ||
      before.isStaff !== after.isStaff ||
      before.isSuperuser !== after.isSuperuser,
    audit: userAudit(action, after, differences(before, after, { passwordChanged })),
  };
};

/** A change of a user by the operator. */
export interface UserSetting extends Forceable {
  /** The new values; those of fields that no change may set are ignored. */
  readonly values: Partial<User>;
  /** The new password, normalized, and its hash; absent if the password does not change. */
  readonly password?: string | undefined;
  readonly passwordHash?: PasswordHash | null | undefined;
  /** The user must have one of these revisions; absent to accept any. */
  readonly revisions?: readonly Revision[] | undefined;
}

const withValues = (user: User, values: Partial<User>): User => ({
  ...user,
  ...pick({ ...user, ...values }, CHANGEABLE_USER_FIELDS),
});

/**
 * Decides a change by the operator. A new password or a deactivation ends the user's sessions.
 *
 * @throws DomainError `validation_failed`, `precondition_failed`; `last_leader` unless forced.
 */
export const decideSetting = (
  locked: LockedUser,
  { values, password, passwordHash = locked.passwordHash, revisions, force }: UserSetting,
): UserWrite | 'unchanged' => {
  const after = withValues(locked.user, values);
  requirePasswordUnlikeNames(password, after);
  requireRevision(locked.user.revision, revisions);
  requireLeaderRemains(locked, after, { force });
  const isSame = passwordHash === locked.passwordHash && isSameUser(locked.user, after);
  return isSame ? 'unchanged' : changeTo(locked, after, passwordHash, 'updateUser');
};

/** A change of a user by a caller. */
export interface UserUpdate extends Omit<UserSetting, 'force'> {
  /** The fields that the caller sent, whether they change or not. */
  readonly fields: SentFields;
  /** The hash that the current password was checked against; absent if it was not required. */
  readonly checkedHash?: PasswordHash | undefined;
}

/**
 * Decides a change by a caller: first their rights as stored now, then as for the operator.
 *
 * @throws DomainError like {@link authorize}, {@link authorizeFields} and {@link decideSetting}.
 */
export const decideUpdate = (
  locked: LockedUser,
  { fields, checkedHash, ...setting }: UserUpdate,
): UserWrite | 'unchanged' => {
  const target = asTarget(locked.user);
  authorize(locked.actor, 'updateUser', target);
  authorizeFields(locked.actor, target, fields);
  requireUnchangedPassword(checkedHash, locked.passwordHash);
  return decideSetting(locked, setting);
};

/**
 * Decides a move by the operator. Password and sessions stay.
 *
 * @throws DomainError `forbidden` if the user already belongs to the division; `last_leader` unless forced.
 */
export const decideMove = (locked: LockedUser, { values, force }: Pick<UserSetting, 'values' | 'force'>): UserWrite => {
  const { division, passwordHash, user } = locked;
  if (user.division.id === division.id) throw forbidden('the user already belongs to this division');
  const after = { ...withValues(user, values), division };
  requireLeaderRemains(locked, after, { force });
  return changeTo(locked, after, passwordHash, 'moveUser', (...states) => ({
    ...userDifferences(...states),
    division: { old: user.division, new: division },
  }));
};

/** What a line of an import sets. */
export interface ImportedUser {
  /** The values of the columns that the file has. */
  readonly values: Partial<User>;
  /** The new hash, or null to remove it; absent if the password stays. */
  readonly passwordHash?: PasswordHash | null | undefined;
}

/**
 * Decides a change by an import, which can change every field except the id, also the division together with the password. A
 * user who moves has the default groups unless the file gives others, so that a moved Leader does not lead the new division.
 */
export const decideImport = (
  stored: Pick<LockedUser, 'user' | 'passwordHash'>,
  { values, passwordHash = stored.passwordHash }: ImportedUser,
): UserWrite | 'unchanged' => {
  const { user } = stored;
  const moves = values.division !== undefined && values.division.id !== user.division.id;
  const after = { ...user, ...(moves ? { groups: NEW_USER_DEFAULTS.groups } : {}), ...values };
  if (passwordHash === stored.passwordHash && isSameUser(user, after)) return 'unchanged';
  return changeTo(stored, after, passwordHash, moves ? 'moveUser' : 'updateUser', importedDifferences);
};

/** Whether the division of a changed user has one active Leader less. */
export const losesLeader = (before: User, after: User): boolean =>
  isActiveLeader(before) && !(isActiveLeader(after) && after.division.id === before.division.id);

/** Decides a password that is set by a link. */
export const decideRedemption = (user: User, passwordHash: PasswordHash): UserWrite =>
  changeTo({ user, passwordHash: null }, user, passwordHash, 'redeemPasswordLink');

const deletionOf = ({ passwordHash, user }: LockedUser): UserWrite => ({
  kind: 'delete',
  user,
  passwordHash,
  endsSessions: true,
  voidsLink: true,
  audit: userAudit('deleteUser', user, userDifferences(user, null)),
});

/** Decides a deletion by the operator. @throws DomainError `last_leader` unless forced. */
export const decideRemoval = (locked: LockedUser, options: Forceable = {}): UserWrite => {
  requireLeaderRemains(locked, null, options);
  return deletionOf(locked);
};

/**
 * Decides a deletion by a caller, who can never delete the last Leader of a division, not even its only member.
 *
 * @throws DomainError like {@link authorize}; `precondition_failed`, `last_leader`.
 */
export const decideDeletion = (locked: LockedUser, { revisions }: Pick<UserSetting, 'revisions'>): UserWrite => {
  authorize(locked.actor, 'deleteUser', asTarget(locked.user));
  requireRevision(locked.user.revision, revisions);
  if (locked.isLastLeader) throw lastLeader();
  return deletionOf(locked);
};

/** Returns the audit entry of sessions that the operator ended: one by its id, or all. Null if none was active. */
export const endedSessions = (user: User, sessionId: SessionId | null, count: number): AuditedAction | null => {
  if (count === 0) return null;
  const changes =
    sessionId === null ? { sessions: { old: count, new: 0 } } : { session: { old: sessionId, new: null } };
  return userAudit('endSessions', user, changes);
};
