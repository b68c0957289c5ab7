import { checkFields, refuseFaults, type SentRequest } from '../../fields/field-check.ts';
import { checksFor, NEW_USER_DEFAULTS, USER_READ_ONLY, userChecks } from '../../fields/user-fields.ts';
import { type CalendarDate, type Caller, isOperator, type NewUser } from '../../model/user.ts';
import type { Clock } from '../../ports/system.ts';
import { guessableFaults } from './passwords.ts';
import type { Ports } from './ports.ts';

/** Returns the current day in UTC. */
export const today = (clock: Clock): CalendarDate => clock.now().slice(0, 10);

/**
 * Checks the fields of a new user and adds the defaults. Returns the password separately, because it is not hashed yet. Only
 * the operator may omit the password, which is empty then.
 *
 * @throws DomainError `validation_failed` with all faults.
 */
export const checkNewUser = (
  { commonPasswords, clock, passwordMinLength }: Pick<Ports, 'commonPasswords' | 'clock' | 'passwordMinLength'>,
  caller: Caller,
  { id, divisionId }: Pick<NewUser, 'id' | 'divisionId'>,
  sent: SentRequest,
): { readonly user: Omit<NewUser, 'passwordHash'>; readonly password: string } => {
  const checks = checksFor(isOperator(caller), userChecks({ today: () => today(clock), passwordMinLength }));
  const { values, faults } = checkFields(checks, sent, {
    readOnly: USER_READ_ONLY,
    required: isOperator(caller) ? ['username'] : ['username', 'password'],
  });
  const { division: _, username = '', password = '', ...optional } = values;
  refuseFaults([...faults, ...guessableFaults(values.password, commonPasswords, [username, values.email])]);
  return {
    password,
    user: {
      ...NEW_USER_DEFAULTS,
      ...optional,
      id,
      username,
      divisionId,
      dateJoined: clock.now(),
    },
  };
};
