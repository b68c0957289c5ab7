import { type Group, OPERATOR, type Ports } from '../../../packages/domain/src/index.ts';
import type { InMemoryWorld } from '../../../packages/domain/src/testing/index.ts';
import type { ModelUser, Stored } from './outcome.ts';

/** A state that follows another, and the ids of the users who differ. Those who are not in it are deleted. */
export interface Later {
  readonly state: Stored;
  readonly changed: readonly string[];
}

/** What the rights of a user come from, but for the division. */
export const rightsOf = ({ groups, isActive, isStaff, isSuperuser }: ModelUser) => ({
  groups: groups as readonly Group[],
  isActive,
  isStaff,
  isSuperuser,
});

/** Makes the changed users what they are in a later state, as the operator can. */
export const becomeLater = async (
  { users, move }: Pick<InMemoryWorld, 'users' | 'move'>,
  { state, changed }: Later,
  idOf: (name: string) => string = (name) => name,
): Promise<void> => {
  for (const name of changed) {
    const [id, user] = [idOf(name), state.users[name]];
    if (!user) await users.delete(OPERATOR, id, () => {});
    else {
      const endsSessions = !user.isActive;
      await users.update(OPERATOR, id, (locked) => ({ user: { ...locked.user, ...rightsOf(user) }, endsSessions }));
      if (user.divisionId !== null) move(id, idOf(user.divisionId));
    }
  }
};

/** The ports, with something that happens right before each transaction of a use case begins. */
export const beforeTransactions = (
  { users, divisions, passwordLinks }: Pick<Ports, 'users' | 'divisions' | 'passwordLinks'>,
  happens: () => Promise<void>,
): Pick<Ports, 'users' | 'divisions' | 'passwordLinks'> => ({
  passwordLinks: {
    ...passwordLinks,
    create: async (...input) => {
      await happens();
      return passwordLinks.create(...input);
    },
  },
  users: {
    ...users,
    create: async (...input) => {
      await happens();
      return users.create(...input);
    },
    update: async (...input) => {
      await happens();
      return users.update(...input);
    },
    delete: async (...input) => {
      await happens();
      return users.delete(...input);
    },
  },
  divisions: {
    ...divisions,
    update: async (...input) => {
      await happens();
      return divisions.update(...input);
    },
  },
});
