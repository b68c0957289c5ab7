import { actorOf, type Caller, type User } from '../model/user.ts';
import { type Action, authorize, type TargetOf } from '../policy/authorize.ts';
import type { Scope } from '../policy/conditions.ts';
import { grants } from '../policy/grants.ts';
import type { UserDirectory } from '../ports/user-directory.ts';

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
 * Passes all active users who may perform an action on a target to `receive`, in batches, rule by rule. Passes a user once
 * for each rule that allows them to.
 *
 * @throws DomainError like {@link authorize}.
 */
export const makeListUsersWhoCan =
  ({ directory }: { directory: UserDirectory }) =>
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
