import { checkFields, refuseFaults, type SentFields } from '../../fields/field-check.ts';
import { userChecks } from '../../fields/user-checks.ts';
import { notFound } from '../../model/errors.ts';
import type { Author, User, UserId } from '../../model/user.ts';
import type { UserRepository } from '../../ports/user-repository.ts';
import { requirePasswordUnlikeNames } from '../steps/changes.ts';
import { type NewUserPorts, today } from '../steps/check-new-user.ts';
import { guessableFault } from '../steps/guessable.ts';
import { type Forceable, requireLeaderRemains } from '../steps/keep-leader.ts';
import type { Flags } from './create-user-as-operator.ts';

/**
 * Changes fields, flags or password of a user. For the operator only. A new password or a deactivation ends the user's
 * sessions.
 *
 * @throws DomainError `not_found`, `validation_failed`, `email_taken`; `last_leader` unless forced.
 */
export const makeSetUser =
  (ports: Omit<NewUserPorts, 'ids'> & { users: UserRepository }) =>
  async (author: Author, id: UserId, sent: SentFields, flags: Flags = {}, options: Forceable = {}): Promise<User> => {
    const user = await ports.users.find(id);
    if (!user) throw notFound();
    const { values, faults } = checkFields(
      userChecks({ today: () => today(ports.clock), passwordMinLength: ports.passwordMinLength }),
      sent,
    );
    const { division: _, password, ...changes } = values;
    const names = { ...user, ...changes };
    const weak = password && guessableFault(password, ports.commonPasswords, [names.username, names.email]);
    refuseFaults([...faults, ...(weak ? [{ field: 'password', ...weak }] : [])]);
    const newHash = password === undefined ? {} : { passwordHash: await ports.hasher.hash(password) };
    return ports.users.update(author, id, (locked) => {
      const changed = { ...locked.user, ...changes, ...flags };
      requirePasswordUnlikeNames(password, changed);
      requireLeaderRemains(locked, changed, options);
      return { user: changed, ...newHash, endsSessions: password !== undefined || !changed.isActive };
    });
  };
