import type { Group, Ports } from '../../packages/domain/src/index.ts';
import { changeUser, deleteUser, moveUser } from '../../packages/domain/src/testing/index.ts';
import type { ModelUser, Stored } from './outcome.ts';

/** A later state, and the ids of the users who change. Changed users who are missing in the state are deleted. */
export interface LaterState {
  readonly state: Stored;
  readonly changed: readonly string[];
}

/** Returns the attributes that a user's rights depend on, without the division. */
export const rightsOf = ({ groups, isActive, isStaff, isSuperuser }: ModelUser) => ({
  groups: groups as readonly Group[],
  isActive,
  isStaff,
  isSuperuser,
});

/** Applies the changes of a later state to the changed users, as the operator. */
export const applyLaterState = async (
  world: Pick<Ports, 'users'>,
  { state, changed }: LaterState,
  idOf: (name: string) => string = (name) => name,
): Promise<void> => {
  for (const name of changed) {
    const [id, user] = [idOf(name), state.users[name]];
    if (!user) await deleteUser(world, id);
    else {
      const { division } = await changeUser(world, id, rightsOf(user));
      const divisionId = user.divisionId && idOf(user.divisionId);
      if (divisionId && divisionId !== division.id) await moveUser(world, id, divisionId);
    }
  }
};

/** Returns the ports with a hook: `before` runs right before each transaction of a use case. */
export const beforeTransactions = (
  { users, divisions, passwordLinks }: Pick<Ports, 'users' | 'divisions' | 'passwordLinks'>,
  before: () => Promise<void>,
): Pick<Ports, 'users' | 'divisions' | 'passwordLinks'> => {
  const after =
    <Input extends readonly unknown[], Result>(run: (...input: Input) => Promise<Result>) =>
    async (...input: Input): Promise<Result> => {
      await before();
      return run(...input);
    };
  return {
    passwordLinks: { ...passwordLinks, create: after((...input) => passwordLinks.create(...input)) },
    users: {
      ...users,
      create: after((...input) => users.create(...input)),
      write: after((...input) => users.write(...input)),
    },
    divisions: { ...divisions, update: after((...input) => divisions.update(...input)) },
  };
};
