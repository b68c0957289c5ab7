import { checkFields, refuseFaults } from '../fields/field-check.ts';
import { userFields } from '../fields/user-fields.ts';
import type { UserListField } from '../lists/list-fields.ts';
import type { ExportQuery, ListQuery } from '../lists/list-query.ts';
import type { DivisionId } from '../model/division.ts';
import { invalidToken } from '../model/errors.ts';
import { type Actor, actorOf, authorOf, type Caller, type User, type UserId } from '../model/user.ts';
import { type Action, authorize, authorizedUser, ownDivision, type TargetOf } from '../policy/authorize.ts';
import type { Scope } from '../policy/conditions.ts';
import { grants } from '../policy/grants.ts';
import type { UserDirectory } from '../ports/user-directory.ts';
import { decideDeletion, decideMove, type Forceable } from '../writes/user-writes.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';
import type { ReadInput, SentChanges } from './steps/changes.ts';
import type { Ports } from './steps/ports.ts';

/** Reads a user. @throws DomainError like {@link authorize}. */
export const makeGetUser =
  ({ users }: Pick<Ports, 'users'>) =>
  async (pending: PendingCaller<Actor>, id: UserId): Promise<User> => {
    const [actor, found] = await callerAndTarget(pending, users.find(id));
    return authorizedUser(actor, 'getUser', found);
  };

/** Reads the caller, with all fields. See contract §3. @throws DomainError like {@link authorize}. */
export const makeGetOwnUser =
  ({ users }: Pick<Ports, 'users'>) =>
  async (actor: Actor): Promise<User> => {
    authorize(actor, 'getOwnUser', {});
    const user = await users.find(actor.id);
    // The user was deleted after the token was checked.
    if (!user) throw invalidToken();
    return user;
  };

/**
 * Lists the users of the caller's own division; no filter widens it. `export` does the same for the whole list.
 *
 * @throws DomainError like `authorize`.
 */
export const makeListUsers = ({ users, listExports }: Pick<Ports, 'users' | 'listExports'>) => {
  const list = async (actor: Actor, readInput: ReadInput<ListQuery<UserListField>>) => {
    const divisionId = ownDivision(actor, 'listUsers');
    return users.list(divisionId, await readInput());
  };
  const exportAll = async (actor: Actor, readInput: ReadInput<ExportQuery<UserListField>>) => {
    const divisionId = ownDivision(actor, 'listUsers');
    const query = await readInput();
    const permit = (present: Actor | null) => authorize(present, 'listUsers', { divisionId });
    return () => listExports.users(authorOf(actor), divisionId, query, permit);
  };
  return Object.assign(list, { export: exportAll });
};

type Receive<Batch> = (batch: Batch) => Promise<void>;

const readCandidates = async (
  directory: UserDirectory,
  candidates: Scope,
  receive: Receive<readonly User[]>,
): Promise<void> => {
  const read = (selection: { readonly divisionId?: string }): Promise<void> =>
    directory.read(selection, (batch) => receive(batch.map(({ user }) => user)));
  if (typeof candidates === 'string') return candidates === 'all' ? read({}) : undefined;
  for (const { id, divisionId } of candidates) {
    const found = typeof id === 'string' ? await directory.find(id) : null;
    if (found) await receive([found.user]);
    else if (typeof id !== 'string') await read(typeof divisionId === 'string' ? { divisionId } : {});
  }
};

/**
 * Passes all active users who may do an action on a target to `receive`, in batches, once for each rule that allows it.
 *
 * @throws DomainError like {@link authorize}.
 */
export const makeListUsersWhoCan =
  ({ directory }: Pick<Ports, 'directory'>) =>
  async <A extends Action>(
    caller: Caller,
    action: A,
    target: TargetOf<A>,
    receive: Receive<{ readonly rule: string; readonly users: readonly User[] }>,
  ): Promise<void> => {
    authorize(caller, 'listUsersWhoCan', {});
    for (const { allows, candidates, rule } of grants(action, target)) {
      await readCandidates(directory, candidates, async (batch) => {
        const users = batch.filter((user) => allows(actorOf(user)));
        if (users.length > 0) await receive({ rule, users });
      });
    }
  };

const CHECKS = { groups: userFields.groups.check() };

/**
 * Moves a user to another division. Sessions stay; a password link becomes void. By default, the user is only in the
 * group `User`, so that a moved Leader does not lead the new division. See contract §10.
 *
 * @throws DomainError like `authorize`; `not_found` for an unknown division, `forbidden` if the user already belongs to
 *   the division, `validation_failed`; `last_leader` unless forced.
 */
export const makeMoveUser =
  ({ users }: Pick<Ports, 'users'>) =>
  async (
    caller: Caller,
    id: UserId,
    divisionId: DivisionId,
    options: Forceable & { readonly groups?: readonly string[] } = {},
  ): Promise<User> => {
    authorizedUser(caller, 'moveUser', await users.find(id));
    const { groups = userFields.groups.default, force } = options;
    const { values, faults } = checkFields(CHECKS, { fields: { groups } });
    refuseFaults(faults);
    return users.write(authorOf(caller), { id, divisionId }, (locked) => decideMove(caller, locked, { values, force }));
  };

/** Deletes a user and their sessions. @throws DomainError like `authorize`; `precondition_failed`, `last_leader`. */
export const makeDeleteUser =
  ({ users }: Pick<Ports, 'users'>) =>
  async (pending: PendingCaller, id: UserId, readInput: ReadInput<Omit<SentChanges, 'fields'>>): Promise<void> => {
    const [caller, found] = await callerAndTarget(pending, users.find(id));
    authorizedUser(caller, 'deleteUser', found);
    const { revisions, force } = await readInput();
    await users.write(authorOf(caller), { id }, (locked) => decideDeletion(caller, locked, { revisions, force }));
  };

/**
 * Lets a user log in again after too many failures. Returns how many failures were cleared. See contract §6 and §10.
 *
 * @throws DomainError like `authorize`.
 */
export const makeUnlockUser =
  ({ loginLimits, users }: Pick<Ports, 'loginLimits' | 'users'>) =>
  async (caller: Caller, id: UserId): Promise<number> => {
    authorizedUser(caller, 'unlockUser', await users.find(id));
    return loginLimits.unlock(authorOf(caller), id);
  };
