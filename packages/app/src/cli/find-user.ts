import { type CredentialStore, normalizeForLookup, parseUuid, type User, userRules } from '@chapter/domain';
import { OperatorError } from '../errors/operator-error.ts';

/** Returns the error for a name or id that no user has. */
export const noSuchUser = (named: string): OperatorError =>
  new OperatorError(`There is no user with the name or id ${named}.`);

/** Finds a user by login name or id. @throws OperatorError if there is none. */
export const findUser = async (credentials: CredentialStore, named: string): Promise<User> => {
  const id = parseUuid(named);
  const known =
    (id && (await credentials.find(id))) ||
    (await credentials.findByUsername(normalizeForLookup(named, userRules.username.max)));
  if (known) return known.user;
  throw noSuchUser(named);
};
