import { checkFields, refuseFaults, type SentFields } from '../../fields/field-check.ts';
import { userChecks } from '../../fields/user-checks.ts';
import { notFound } from '../../model/errors.ts';
import type { Author, User, UserId } from '../../model/user.ts';
import type { UserRepository } from '../../ports/user-repository.ts';
import { decideSetting, type Forceable } from '../../writes/user-writes.ts';
import { type NewUserPorts, today } from '../steps/check-new-user.ts';
import { guessableFault } from '../steps/guessable.ts';
import type { Flags } from './create-user-as-operator.ts';

/**
 * Changes fields, flags or password of a user. For the operator only.
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
      { fields: sent },
    );
    const { division: _, password, ...changes } = values;
    const names = { ...user, ...changes };
    const weak = password && guessableFault(password, ports.commonPasswords, [names.username, names.email]);
    refuseFaults([...faults, ...(weak ? [{ field: 'password', ...weak }] : [])]);
    const passwordHash = password === undefined ? undefined : await ports.hasher.hash(password);
    const setting = { values: { ...changes, ...flags }, password, passwordHash, ...options };
    return ports.users.write(author, { id }, (locked) => decideSetting(locked, setting));
  };
