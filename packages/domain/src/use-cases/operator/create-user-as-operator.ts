import type { SentFields } from '../../fields/field-check.ts';
import type { DivisionId } from '../../model/division.ts';
import { notFound } from '../../model/errors.ts';
import type { Author, User } from '../../model/user.ts';
import type { DivisionRepository } from '../../ports/division-repository.ts';
import type { UserRepository } from '../../ports/user-repository.ts';
import { checkNewUser, type NewUserPorts } from '../steps/check-new-user.ts';

/** The flags of an Administrator, which only the operator can set. */
export interface Flags {
  readonly isStaff?: boolean;
  readonly isSuperuser?: boolean;
}

/**
 * Creates a user in any division, optionally as Administrator. For the operator only. Without a password, the user cannot
 * log in until one is set.
 *
 * @throws DomainError `not_found` for an unknown division; `validation_failed`, `username_taken`, `email_taken`.
 */
export const makeCreateUserAsOperator =
  (ports: NewUserPorts & { users: UserRepository; divisions: DivisionRepository }) =>
  async (author: Author, divisionId: DivisionId, sent: SentFields, flags: Flags = {}): Promise<User> => {
    if (!(await ports.divisions.find(divisionId))) throw notFound();
    const { user, password } = checkNewUser(ports, { id: ports.ids.next(), divisionId }, { fields: sent }, [
      'username',
    ]);
    const passwordHash = password === '' ? null : await ports.hasher.hash(password);
    const created = await ports.users.create(author, { ...user, ...flags, passwordHash }, () => {});
    // Without an idempotency key, a creation never returns an earlier one.
    if (!('user' in created)) throw new TypeError('a creation without a key returned an earlier one');
    return created.user;
  };
