import {
  type AuditLog,
  type CredentialStore,
  normalizeForLookup,
  parseUuid,
  type UserId,
  userRules,
} from '@chapter/domain';
import { OperatorError } from '../errors/operator-error.ts';
import { noSuchUser } from './find-user.ts';

/**
 * Finds the id of a user who may have been deleted: by id, by the present name, or by a former name in the audit trail.
 * Does not search the audit trail for an id: returns any UUID in lower case, even if no user had it.
 *
 * @throws OperatorError if no user has or had the name, or if no user has it and several users had it.
 */
export const findPerson = async (
  { audit, credentials }: { readonly audit: AuditLog; readonly credentials: CredentialStore },
  named: string,
): Promise<UserId> => {
  const [id, username] = [parseUuid(named), normalizeForLookup(named, userRules.username.max)];
  const present = (id && (await credentials.find(id))) || (await credentials.findByUsername(username));
  if (present) return present.user.id;
  if (id !== undefined) return id;
  const [former, ...others] = await audit.findUsersByName(username);
  if (former === undefined) throw noSuchUser(named);
  if (others.length === 0) return former;
  const ids = [former, ...others].toSorted().join(', ');
  throw new OperatorError(`Several former users had the name ${named}; give one of their ids: ${ids}.`);
};
