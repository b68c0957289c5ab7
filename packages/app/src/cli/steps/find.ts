import {
  type Division,
  type DivisionId,
  divisionRules,
  isDomainError,
  listQuery,
  normalizeForLookup,
  parseUuid,
  type User,
  type UserId,
  userRules,
} from '@chapter/domain/api';
import { OperatorError } from '../../errors/operator-error.ts';
import type { CommandPorts } from './with-database.ts';

type LookUpPorts = Pick<CommandPorts, 'audit' | 'credentials' | 'divisions'>;

/**
 * Looks up the value of an option by id if it is a UUID, otherwise by name. A UUID is never looked up by name: a member
 * who takes the id of another user as a name could otherwise become the target of a command. Contract §10.
 */
const byIdOrName = <T>(named: string, byId: (id: string) => T, byName: (name: string) => T): T => {
  const id = parseUuid(named.trim());
  return id === undefined ? byName(named) : byId(id);
};

/** Returns the error for a name or id that no user has. */
export const noSuchUser = (named: string): OperatorError =>
  new OperatorError(`There is no user with the name or id ${named}.`);

const usernameKey = (name: string): string => normalizeForLookup(name, userRules.username.max);

/** Finds a user by login name or id. @throws OperatorError if there is none. */
export const findUser = async ({ credentials }: LookUpPorts, named: string): Promise<User> => {
  const found = await byIdOrName(
    named,
    (id) => credentials.find(id),
    (name) => credentials.findByUsername(usernameKey(name)),
  );
  if (found) return found.user;
  throw noSuchUser(named);
};

/** Returns the ids of the present user and of former users with a name. @throws OperatorError if there is none. */
const idsOfName = async ({ audit, credentials }: LookUpPorts, name: string) => {
  const present = (await credentials.findByUsername(usernameKey(name)))?.user.id;
  const former = await audit.findUsersByName(usernameKey(name));
  if (present === undefined && former.length === 0) throw noSuchUser(name);
  return { present, former };
};

/**
 * Finds the id of a user who may have been deleted: by the present name, or by a former name in the audit trail.
 * Returns an id in lower case, even if no user had it.
 *
 * @throws OperatorError if no user has or had the name, or if no user has it and several users had it.
 */
export const findPerson = (ports: LookUpPorts, named: string): Promise<UserId> =>
  byIdOrName(
    named,
    async (id) => id,
    async (name) => {
      const { former, present } = await idsOfName(ports, name);
      const [only, ...others] = present === undefined ? former : [present];
      if (only !== undefined && others.length === 0) return only;
      const ids = former.toSorted().join(', ');
      throw new OperatorError(`Several former users had the name ${name}; give one of their ids: ${ids}.`);
    },
  );

/** Returns the id, or the ids of all users who have or had the name. @throws OperatorError if there is none. */
export const findPeople = (ports: LookUpPorts, named: string): Promise<readonly UserId[]> =>
  byIdOrName(
    named,
    async (id) => [id],
    async (name) => {
      const { former, present } = await idsOfName(ports, name);
      return [...new Set([...(present === undefined ? [] : [present]), ...former])];
    },
  );

/** Runs `work`. @throws OperatorError with the sentence if `work` finds nothing. */
export const orNotFound = async <T>(sentence: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isDomainError(error) || error.code !== 'not_found') throw error;
    throw new OperatorError(sentence, error);
  }
};

/** Finds a division by name or id, ignoring case. @throws OperatorError if there is none. */
export const findDivision = async ({ divisions }: LookUpPorts, named: string): Promise<Division> => {
  const division = await byIdOrName<Promise<Division | null | undefined>>(
    named,
    (id) => divisions.find(id),
    async (name) => {
      const value = normalizeForLookup(name, divisionRules.name.max);
      const filters = [{ field: 'name', operator: 'eq', value }] as const;
      return (await divisions.list(listQuery({ filters, order: ['name'], size: 1 }))).items[0];
    },
  );
  if (division) return division;
  throw new OperatorError(`There is no division with the name or id ${named}.`);
};

/** Returns the id, even if no division has it, or that of the division with the name. @throws OperatorError if none. */
export const findDivisionId = (ports: LookUpPorts, named: string): Promise<DivisionId> =>
  byIdOrName(
    named,
    async (id) => id,
    async (name) => (await findDivision(ports, name)).id,
  );
