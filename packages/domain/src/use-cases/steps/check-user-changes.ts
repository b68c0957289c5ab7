import { checkFields, missing, refuseFaults, type SentFields } from '../../fields/field-check.ts';
import { USER_READ_ONLY, type UserChanges, userChangeChecks } from '../../fields/user-checks.ts';
import type { FieldFault } from '../../model/errors.ts';
import type { Actor, PasswordHash, User } from '../../model/user.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommonPasswords } from '../../ports/common-passwords.ts';
import { type CurrentPasswordPorts, checkCurrentPassword } from './check-current-password.ts';
import { today } from './check-new-user.ts';
import { guessable } from './guessable.ts';

/** What the change of a user needs. */
export interface UserChangePorts extends CurrentPasswordPorts {
  readonly commonPasswords: CommonPasswords;
  readonly clock: Clock;
  /** Code points of a new password at least. */
  readonly passwordMinLength: number;
}

/** Changes that are ready to be written. */
export interface CheckedChanges {
  readonly changes: UserChanges;
  /** A new password in its normal form. */
  readonly password: string | undefined;
  /** The hash that the current password was checked against, where it had to be given. */
  readonly checkedHash: PasswordHash | undefined;
}

/**
 * Makes the check of the changes that an actor sends to a user, and of their current password where they set a new one
 * for themself.
 *
 * @throws DomainError `validation_failed` with all faults; `rate_limited`, `unavailable`.
 */
export const makeCheckUserChanges = (ports: UserChangePorts) => {
  const { passwordMinLength } = ports;
  const checks = userChangeChecks({ today: () => today(ports.clock), passwordMinLength });
  return async (actor: Actor, user: User, sent: SentFields, found: readonly FieldFault[]): Promise<CheckedChanges> => {
    const { values, faults } = checkFields(checks, sent, { readOnly: USER_READ_ONLY, found });
    const { division: _, password, currentPassword, ...changes } = values;
    const all = [...faults];
    const names = { ...user, ...changes };
    const weak =
      password === undefined ? undefined : guessable(password, ports.commonPasswords, [names.username, names.email]);
    if (weak) all.push({ field: 'password', ...weak });
    const own = actor.id === user.id && Object.hasOwn(sent, 'password');
    if (own) all.push(...missing(sent, ['currentPassword']));
    const current =
      own && currentPassword !== undefined
        ? await checkCurrentPassword(ports, actor, user, currentPassword)
        : undefined;
    if (current && 'fault' in current) all.push(current.fault);
    refuseFaults(all);
    return { changes, password, checkedHash: current && 'hash' in current ? current.hash : undefined };
  };
};
