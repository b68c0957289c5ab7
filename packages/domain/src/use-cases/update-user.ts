import { checkFields, refuseFaults, type SentFields, type SentRequest } from '../fields/field-check.ts';
import { givenPassword } from '../fields/password.ts';
import { checksFor, USER_READ_ONLY, userChangeChecks } from '../fields/user-fields.ts';
import type { FieldFault } from '../model/errors.ts';
import {
  type Actor,
  authorOf,
  type Caller,
  type Credentials,
  isOperator,
  type User,
  type UserId,
} from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import { authorizeCredential } from '../policy/credentials.ts';
import { authorizeFields } from '../policy/fields.ts';
import { asTarget } from '../policy/targets.ts';
import { INCORRECT_PASSWORD } from '../writes/rules.ts';
import { decideUpdate } from '../writes/user-writes.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';
import { countConflicts, hashRequestOf, type ReadInput, type SentChanges, today } from './steps/changes.ts';
import { guessableFaults, verifyAttempt } from './steps/passwords.ts';
import type { Ports } from './steps/ports.ts';

type CheckPorts = Pick<
  Ports,
  'credentials' | 'hasher' | 'loginLimits' | 'commonPasswords' | 'clock' | 'passwordMinLength'
>;

/**
 * Checks the current password that a user gives. Failures count per user and network (contract §3). Returns the user
 * with the hash that it was checked against, or the fault.
 *
 * @throws DomainError `field_forbidden`, `rate_limited`, `unavailable`.
 */
const checkCurrentPassword = async (
  { credentials, hasher, loginLimits }: CheckPorts,
  actor: Actor,
  sent: SentFields,
  given: string,
): Promise<Credentials | { readonly fault: FieldFault }> => {
  const request = hashRequestOf(actor);
  hasher.requireCapacity(request.share);
  const attempt = await loginLimits.begin({ userId: actor.id }, actor.origin?.network ?? '');
  const secret = givenPassword(given);
  const stored = secret === undefined ? null : await credentials.find(actor.id);
  const hash = stored?.passwordHash ?? null;
  const matches = await verifyAttempt({ hasher, attempt }, secret ?? '', hash, request);
  if (!matches || !stored) {
    // The caller may have moved since their fields were authorized. Forbidden fields come before values (contract §1).
    if (stored) authorizeFields(actor, asTarget(stored.user), sent);
    return { fault: INCORRECT_PASSWORD };
  }
  await attempt.succeeded();
  return stored;
};

/**
 * Returns a function that checks the changes sent for a user, including the current password of users who set a new
 * password for themselves. It returns the changes, the new password, normalized, and the user with the hash that the
 * current password was checked against, which is undefined if it was not required.
 *
 * @throws DomainError `validation_failed` with all faults; `field_forbidden`, `rate_limited`, `unavailable`.
 */
const makeCheckUserChanges = (ports: CheckPorts) => {
  const { passwordMinLength } = ports;
  const all = userChangeChecks({ today: () => today(ports.clock), passwordMinLength });
  const checks = { operator: checksFor(true, all), user: checksFor(false, all) };
  return async (caller: Caller, user: User, sent: SentRequest) => {
    // A user who sets their own password.
    const self =
      !isOperator(caller) && caller.id === user.id && Object.hasOwn(sent.fields, 'password') ? caller : undefined;
    const { values, faults } = checkFields(isOperator(caller) ? checks.operator : checks.user, sent, {
      readOnly: USER_READ_ONLY,
      required: self ? ['currentPassword'] : [],
    });
    const { division: _, password, currentPassword, ...changes } = values;
    const { username, email } = { ...user, ...changes };
    const current =
      self && currentPassword !== undefined
        ? await checkCurrentPassword(ports, self, sent.fields, currentPassword)
        : undefined;
    refuseFaults([
      ...faults,
      ...guessableFaults(password, ports.commonPasswords, [username, email]),
      ...(current && 'fault' in current ? [current.fault] : []),
    ]);
    return { changes, password, checked: current && 'user' in current ? current : undefined };
  };
};

/**
 * Changes a user; fields that are not sent stay unchanged. {@link decideUpdate} checks rights, field rights and the names in
 * a new password again on rows that are locked or still the same, and the precondition and the last Leader only then.
 *
 * @throws DomainError like {@link authorize}; `session_required`, `field_forbidden`, `validation_failed`, `precondition_failed`,
 *   `username_taken`, `email_taken`, `last_leader`, `rate_limited`, `unavailable`.
 */
export const makeUpdateUser = (ports: CheckPorts & Pick<Ports, 'users' | 'conflictLimits'>) => {
  const checkChanges = makeCheckUserChanges(ports);
  return async (pending: PendingCaller, id: UserId, readInput: ReadInput<SentChanges>): Promise<User> => {
    const [caller, target] = await callerAndTarget(pending, ports.users.find(id));
    const found = authorizedUser(caller, 'updateUser', target);
    const sent = await readInput();
    authorizeCredential(caller, 'updateUser', sent.fields);
    authorizeFields(caller, asTarget(found), sent.fields);
    const { changes, password, checked } = await checkChanges(caller, found, sent);
    // After verifying the current password this is a continuation, which must not wait or be refused a second time.
    const request = { ...hashRequestOf(caller), isContinuation: checked !== undefined };
    const passwordHash = password === undefined ? undefined : await ports.hasher.hash(password, request);
    const { fields, revisions, force } = sent;
    const known = password === undefined && !isOperator(caller) ? { actor: caller, user: found } : undefined;
    const update = { fields, values: changes, password, passwordHash, checked, revisions, force };
    return countConflicts(ports.conflictLimits, caller, () =>
      ports.users.write(authorOf(caller), { id, known }, (locked) => decideUpdate(caller, locked, update)),
    );
  };
};
