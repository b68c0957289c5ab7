import { lastLeader } from '../model/errors.ts';
import { type Actor, authorOf, isActiveLeader, type User, type UserId } from '../model/user.ts';
import { authorize, authorizedUser, authorizeFields } from '../policy/authorize.ts';
import { asTarget } from '../policy/rules.ts';
import type { ConflictLimits } from '../ports/conflict-limits.ts';
import type { LockedUser, UserChange } from '../ports/user-change.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import type { ReadInput, SentChanges, UserChangePorts } from './steps/changes.ts';
import {
  countConflicts,
  makeCheckUserChanges,
  requirePasswordUnlikeNames,
  requireRevision,
  requireUnchangedPassword,
} from './steps/changes.ts';

/**
 * Changes a user; fields that are not sent stay unchanged. A new password or a deactivation ends the user's sessions.
 * Checks rights, field rights and the names in a new password again on the locked rows, and the precondition and the last
 * Leader only there.
 *
 * @throws DomainError like {@link authorize}; `field_forbidden`, `validation_failed`, `precondition_failed`,
 *   `username_taken`, `email_taken`, `last_leader`, `rate_limited`, `unavailable`.
 */
export const makeUpdateUser = (ports: UserChangePorts & { users: UserRepository; conflictLimits: ConflictLimits }) => {
  const checkChanges = makeCheckUserChanges(ports);
  return async (actor: Actor, id: UserId, readInput: ReadInput<SentChanges>): Promise<User> => {
    const found = authorizedUser(actor, 'updateUser', await ports.users.find(id));
    const { fields, faults = [], revisions } = await readInput();
    authorizeFields(actor, asTarget(found), fields);
    const { changes, password, checkedHash } = await checkChanges(actor, found, fields, faults);
    // After verifying the current password this is a continuation, which must not wait or be refused a second time.
    const request = { isAbandoned: actor.origin?.isAbandoned, isContinuation: checkedHash !== undefined };
    const passwordHash = password === undefined ? {} : { passwordHash: await ports.hasher.hash(password, request) };
    const change = (locked: LockedUser): UserChange => {
      authorize(locked.actor, 'updateUser', asTarget(locked.user));
      authorizeFields(locked.actor, asTarget(locked.user), fields);
      requireUnchangedPassword(checkedHash, locked.passwordHash);
      const user = { ...locked.user, ...changes };
      requirePasswordUnlikeNames(password, user);
      requireRevision(locked.user.revision, revisions);
      if (locked.isLastLeader && !isActiveLeader(user)) throw lastLeader();
      return { user, ...passwordHash, endsSessions: password !== undefined || !user.isActive };
    };
    return countConflicts(ports.conflictLimits, actor, () => ports.users.update(authorOf(actor), id, change));
  };
};
