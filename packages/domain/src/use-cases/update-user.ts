import { authorOf, isOperator, type User, type UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import { authorizeCredential } from '../policy/credentials.ts';
import { authorizeFields } from '../policy/fields.ts';
import { asTarget } from '../policy/targets.ts';
import { decideUpdate } from '../writes/user-writes.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';
import type { ReadInput, SentChanges, UserChangePorts } from './steps/changes.ts';
import { countConflicts, hashRequestOf, makeCheckUserChanges } from './steps/changes.ts';
import type { Ports } from './steps/ports.ts';

/**
 * Changes a user; fields that are not sent stay unchanged. {@link decideUpdate} checks rights, field rights and the names in
 * a new password again on rows that are locked or still the same, and the precondition and the last Leader only then.
 *
 * @throws DomainError like {@link authorize}; `session_required`, `field_forbidden`, `validation_failed`, `precondition_failed`,
 *   `username_taken`, `email_taken`, `last_leader`, `rate_limited`, `unavailable`.
 */
export const makeUpdateUser = (ports: UserChangePorts & Pick<Ports, 'users' | 'conflictLimits'>) => {
  const checkChanges = makeCheckUserChanges(ports);
  return async (pending: PendingCaller, id: UserId, readInput: ReadInput<SentChanges>): Promise<User> => {
    const [caller, target] = await callerAndTarget(pending, ports.users.find(id));
    const found = authorizedUser(caller, 'updateUser', target);
    const sent = await readInput();
    authorizeCredential(caller, 'updateUser', sent.fields);
    authorizeFields(caller, asTarget(found), sent.fields);
    const { changes, password, checkedHash } = await checkChanges(caller, found, sent);
    // After verifying the current password this is a continuation, which must not wait or be refused a second time.
    const request = { ...hashRequestOf(caller), isContinuation: checkedHash !== undefined };
    const passwordHash = password === undefined ? undefined : await ports.hasher.hash(password, request);
    const { fields, revisions, force } = sent;
    const known = password === undefined && !isOperator(caller) ? { actor: caller, user: found } : undefined;
    const update = { fields, values: changes, password, passwordHash, checkedHash, revisions, force };
    return countConflicts(ports.conflictLimits, caller, () =>
      ports.users.write(authorOf(caller), { id, known }, (locked) => decideUpdate(caller, locked, update)),
    );
  };
};
