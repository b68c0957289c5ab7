import { type Actor, type Author, type LockedUser, OPERATOR, type User } from '@chapter/domain';
import { asNewUser, aUser, storeUser, type World } from '@chapter/domain/testing';
import { by } from './changes.ts';

/** A use of a user's rights, password or record that must wait for a change of the user. */
export interface Follower {
  readonly title: string;
  /** Resolves with what the transaction sees of the user, or what becomes of it. */
  readonly run: (people: { readonly ada: User; readonly member: User }) => Promise<unknown>;
  /** The result after {@link CHANGED}. */
  readonly expected: unknown;
}

/** Ada before the change that followers wait for. */
export const OLD_HASH = 'old hash';
/** Ada after it. */
export const CHANGED = { groups: ['User'], hash: 'new hash' } as const;

/** Stores a user of the same division whose id is lower than all others. */
export const settleEarlier = (world: World, { division }: User): Promise<User> =>
  storeUser(world, aUser().of(division).with({ id: '00000000-0000-7000-8000-000000000001' }));

/** Every statement that locks a user, on the user Ada. */
export const makeFollowers = (world: () => World): readonly Follower[] => {
  const groupsOf = (actor: Actor | null): unknown => actor?.groups;
  const updateBy = async (author: Author, target: User, seen: (locked: LockedUser) => unknown): Promise<unknown> => {
    let result: unknown;
    await world().users.update(author, target.id, (locked) => {
      result = seen(locked);
      return { user: locked.user, endsSessions: false };
    });
    return result;
  };
  const actorOf = async (work: (see: (actor: Actor | null) => void) => Promise<unknown>): Promise<unknown> => {
    let result: unknown;
    await work((actor) => {
      result = groupsOf(actor);
    });
    return result;
  };

  return [
    {
      title: 'an update by that user',
      run: ({ ada, member }) => updateBy(by(ada), member, ({ actor }) => groupsOf(actor)),
      expected: CHANGED.groups,
    },
    {
      title: 'an update by that user of a user with a lower id',
      run: async ({ ada }) => updateBy(by(ada), await settleEarlier(world(), ada), ({ actor }) => groupsOf(actor)),
      expected: CHANGED.groups,
    },
    {
      title: 'an update of that user by a user with a higher id',
      run: ({ ada, member }) => updateBy(by(member), ada, ({ user }) => user.groups),
      expected: CHANGED.groups,
    },
    {
      title: 'an update of that user by a user with a lower id',
      run: async ({ ada }) => updateBy(by(await settleEarlier(world(), ada)), ada, ({ user }) => user.groups),
      expected: CHANGED.groups,
    },
    {
      title: 'an update of that user by the operator',
      run: ({ ada }) => updateBy(OPERATOR, ada, ({ user }) => user.groups),
      expected: CHANGED.groups,
    },
    {
      title: 'an update by that user of themself',
      run: ({ ada }) => updateBy(by(ada), ada, ({ actor, user }) => [groupsOf(actor), user.groups]),
      expected: [CHANGED.groups, CHANGED.groups],
    },
    {
      title: 'a deletion by that user',
      run: ({ ada, member }) => actorOf((see) => world().users.delete(by(ada), member.id, ({ actor }) => see(actor))),
      expected: CHANGED.groups,
    },
    {
      title: 'a creation by that user',
      run: ({ ada }) => actorOf((see) => world().users.create(by(ada), asNewUser(aUser().of(ada.division)), see)),
      expected: CHANGED.groups,
    },
    {
      title: 'a change of the division by that user',
      run: ({ ada }) =>
        actorOf((see) =>
          world().divisions.update(by(ada), ada.division.id, ({ actor, division }) => {
            see(actor);
            return division;
          }),
        ),
      expected: CHANGED.groups,
    },
    {
      title: 'a login of that user',
      run: ({ ada }) => {
        const lifetimes = { lifetime: 60, sessionLifetime: 60 };
        const session = { id: world().ids.next(), userId: ada.id, digest: 'digest', userAgent: null };
        return world().sessions.start({ ...session, ...lifetimes }, OLD_HASH);
      },
      expected: null,
    },
    {
      title: 'a stronger hash of the old password of that user',
      run: async ({ ada }) => {
        await world().credentials.renew(ada.id, OLD_HASH, 'stronger hash');
        return (await world().credentials.find(ada.id))?.passwordHash;
      },
      expected: CHANGED.hash,
    },
  ];
};
