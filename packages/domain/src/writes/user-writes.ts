import type { SentFields } from '../fields/field-check.ts';
import {
  CHANGEABLE_USER_FIELDS,
  importedDifferences,
  isSameUser,
  NEW_USER_DEFAULTS,
  userDifferences,
} from '../fields/user-fields.ts';
import { type AuditAction, type AuditedAction, userAudit } from '../model/audit-entry.ts';
import type { DivisionReference } from '../model/division.ts';
import { forbidden, lastLeader } from '../model/errors.ts';
import { pick } from '../model/pick.ts';
import type { Conditional } from '../model/revision.ts';
import {
  type Actor,
  type Caller,
  type Credentials,
  isActiveLeader,
  isOperator,
  type NewUser,
  type PasswordHash,
  type User,
} from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import { authorizeFields } from '../policy/fields.ts';
import { asTarget } from '../policy/targets.ts';
import { presentCaller, requirePasswordUnlikeNames, requireRevision, requireUnchangedPassword } from './rules.ts';

/** A stored user, read under a lock together with the author's current rights. */
export interface LockedUser extends Credentials {
  /** The author as stored now; null for the operator and for a deleted author. */
  readonly actor: Actor | null;
  /** The division that the user is to move to, which cannot be deleted meanwhile; otherwise the present one. */
  readonly division: DivisionReference;
  /** Whether this user is the only active Leader of the division. */
  readonly isLastLeader: boolean;
  /** Whether this user is the only active Leader of a division that has other members, active or not. */
  readonly leadsOthersAlone: boolean;
}

/** What one write does to a user. An adapter applies it in one transaction. */
export interface UserWrite {
  /** Whether the user is new, changed or deleted. */
  readonly kind: 'create' | 'change' | 'delete';
  /** The values to store; of a deletion, those that were stored. The adapter assigns the revision. */
  readonly user: User;
  /** The password hash after the write, changed or not. */
  readonly passwordHash: PasswordHash | null;
  /** Whether the write ends all sessions of the user. */
  readonly endsSessions: boolean;
  /** Whether the write ends all personal access tokens of the user, also those of a user that release 0.1.0 deactivated. */
  readonly endsTokens: boolean;
  /** Whether the write voids the password link of the user. See contract §11. */
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
  return { kind: 'create', user, passwordHash, endsSessions: false, endsTokens: false, voidsLink: false, audit };
};

/** An option that only the operator has; it is ignored for every other caller. */
export interface Forceable {
  /** Allows a change after which a division has members but no active Leader. False by default. */
  readonly force?: boolean | undefined;
}

/**
 * Refuses a change after which a division would have no active Leader. `after` is the changed user, or null for a
 * deletion. The operator may delete or move the only member, and may force every change. Allows every change in a
 * division that already has no active Leader. See contract §3 and §10.
 *
 * @throws DomainError `last_leader`.
 */
const requireLeaderRemains = (
  caller: Caller,
  { user, isLastLeader, leadsOthersAlone }: Pick<LockedUser, 'user' | 'isLastLeader' | 'leadsOthersAlone'>,
  after: User | null,
  { force = false }: Forceable = {},
): void => {
  const byOperator = isOperator(caller);
  if (byOperator && force) return;
  const staysMember = after !== null && after.division.id === user.division.id;
  if (staysMember ? isLastLeader && !isActiveLeader(after) : byOperator ? leadsOthersAlone : isLastLeader) {
    throw lastLeader();
  }
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
    endsTokens: !before.isActive || !after.isActive,
    voidsLink:
      passwordChanged ||
      before.division.id !== after.division.id ||
      before.isStaff !== after.isStaff ||
      before.isSuperuser !== after.isSuperuser,
    audit: userAudit(action, after, differences(before, after, { passwordChanged })),
  };
};

/** A change of a user. */
export interface UserUpdate extends Forceable, Conditional {
  /** The fields that the caller sent, whether they change or not. */
  readonly fields: SentFields;
  /** The new values; those of fields that no change may set are ignored. */
  readonly values: Partial<User>;
  /** The new password, normalized, and its hash; absent if the password does not change. */
  readonly password?: string | undefined;
  readonly passwordHash?: PasswordHash | null | undefined;
  /** The user with the hash that the current password was checked against; absent if it was not required. */
  readonly checked?: Credentials | undefined;
}

const withValues = (user: User, values: Partial<User>): User => ({
  ...user,
  ...pick({ ...user, ...values }, CHANGEABLE_USER_FIELDS),
});

/**
 * Decides a change: first the caller's rights as stored now. A new password or a deactivation ends the user's sessions.
 *
 * @throws DomainError like {@link authorize} and {@link authorizeFields}; `validation_failed`, `precondition_failed`,
 *   `last_leader`.
 */
export const decideUpdate = (caller: Caller, locked: LockedUser, update: UserUpdate): UserWrite | 'unchanged' => {
  const { fields, values, password, passwordHash = locked.passwordHash, checked, revisions, force } = update;
  const target = asTarget(locked.user);
  const present = presentCaller(caller, locked.actor);
  authorize(present, 'updateUser', target);
  authorizeFields(present, target, fields);
  requireUnchangedPassword(checked, locked);
  const after = withValues(locked.user, values);
  requirePasswordUnlikeNames(password, after);
  requireRevision(locked.user.revision, revisions);
  requireLeaderRemains(present, locked, after, { force });
  const isSame = passwordHash === locked.passwordHash && isSameUser(locked.user, after);
  return isSame ? 'unchanged' : changeTo(locked, after, passwordHash, 'updateUser');
};

/**
 * Decides a move. Password and sessions stay.
 *
 * @throws DomainError like {@link authorize}; `forbidden` if the user already belongs to the division; `last_leader`.
 */
export const decideMove = (
  caller: Caller,
  locked: LockedUser,
  { values, force }: Pick<UserUpdate, 'values' | 'force'>,
): UserWrite => {
  const { actor, division, passwordHash, user } = locked;
  const present = presentCaller(caller, actor);
  authorize(present, 'moveUser', asTarget(user));
  if (user.division.id === division.id) throw forbidden('the user already belongs to this division');
  const after = { ...withValues(user, values), division };
  requireLeaderRemains(present, locked, after, { force });
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
 * user who moves has the default groups unless the file gives others, so that a moved Leader does not lead the new division. Whether
 * a division loses its last Leader depends on the whole file, so the import finds that out for all changes together.
 */
export const decideImport = (
  stored: Credentials,
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

/** Decides a deletion. @throws DomainError like {@link authorize}; `precondition_failed`, `last_leader`. */
export const decideDeletion = (
  caller: Caller,
  locked: LockedUser,
  { revisions, force }: Pick<UserUpdate, 'revisions' | 'force'> = {},
): UserWrite => {
  const { actor, passwordHash, user } = locked;
  const present = presentCaller(caller, actor);
  authorize(present, 'deleteUser', asTarget(user));
  requireRevision(user.revision, revisions);
  requireLeaderRemains(present, locked, null, { force });
  const audit = userAudit('deleteUser', user, userDifferences(user, null));
  return { kind: 'delete', user, passwordHash, endsSessions: true, endsTokens: true, voidsLink: true, audit };
};

/** Requires that a user may be erased. @throws DomainError like {@link authorize}; `last_leader`. */
export const requireErasable = (caller: Caller, locked: LockedUser, options: Forceable): void => {
  const present = presentCaller(caller, locked.actor);
  authorize(present, 'eraseUser', asTarget(locked.user));
  requireLeaderRemains(present, locked, null, options);
};
