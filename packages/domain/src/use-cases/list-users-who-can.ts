import { actorOf, type Caller, type User } from '../model/user.ts';
import { type Action, authorize, type TargetOf } from '../policy/authorize.ts';
import { type Candidates, grants } from '../policy/grants.ts';
import type { UserDirectory } from '../ports/user-directory.ts';

type Receive<Batch> = (batch: Batch) => Promise<void>;

const readCandidates = async (
  directory: UserDirectory,
  candidates: Candidates,
  receive: Receive<readonly User[]>,
): Promise<void> => {
  const read = (selection: { readonly divisionId?: string }): Promise<void> =>
    directory.read(selection, (batch) => receive(batch.map(({ user }) => user)));
  if (candidates === 'all') return read({});
  const { divisionId, userId } = candidates;
  const found = userId === null ? null : await directory.find(userId);
  if (found) await receive([found.user]);
  if (divisionId !== null) await read({ divisionId });
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
