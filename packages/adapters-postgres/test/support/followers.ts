import {
  type Actor,
  type Author,
  decideDeletion,
  type LockedUser,
  listQuery,
  OPERATOR,
  type User,
} from '@chapter/domain/ports';
import { asNewUser, aUser, storeUser, type World } from '@chapter/domain/testing';
import { by } from './changes.ts';

/** An operation that depends on a user's rights, password or record, and so must wait for a change of the user. */
export interface Follower {
  readonly title: string;
  /** Resolves with the part of the user that the transaction sees, or with the result of the operation. */
  readonly run: (people: { readonly ada: User; readonly member: User }) => Promise<unknown>;
  /** The result after the change {@link CHANGED}; by default, the changed groups. */
  readonly expected?: unknown;
}

/** Ada's password hash before the change that followers wait for. */
export const OLD_HASH = 'old hash';
/** The change of Ada that followers wait for. */
export const CHANGED = { groups: ['User'], hash: 'new hash' } as const;

/** Stores a user of the same division with the lowest id. */
export const storeLowestUser = (world: World, { division }: User): Promise<User> =>
  storeUser(world, aUser().of(division).with({ id: '00000000-0000-7000-8000-000000000001' }));

/** Returns one follower for each statement that locks a user. The user is Ada. */
export const makeFollowers = (world: () => World): readonly Follower[] => {
  const groupsOf = (actor: Actor | null): unknown => actor?.groups;
  const updateBy = async (author: Author, target: User, read: (locked: LockedUser) => unknown): Promise<unknown> => {
    let result: unknown;
    await world().users.write(author, { id: target.id }, (locked) => {
      result = read(locked);
      return 'unchanged';
    });
    return result;
  };
  const actorSeenIn = async (work: (see: (actor: Actor | null) => void) => Promise<unknown>): Promise<unknown> => {
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
    },
    {
      title: 'an update by that user of a user with a lower id',
      run: async ({ ada }) => updateBy(by(ada), await storeLowestUser(world(), ada), ({ actor }) => groupsOf(actor)),
    },
    {
      title: 'an update of that user by a user with a higher id',
      run: ({ ada, member }) => updateBy(by(member), ada, ({ user }) => user.groups),
    },
    {
      title: 'an update of that user by a user with a lower id',
      run: async ({ ada }) => updateBy(by(await storeLowestUser(world(), ada)), ada, ({ user }) => user.groups),
    },
    {
      title: 'an update of that user by the operator',
      run: ({ ada }) => updateBy(OPERATOR, ada, ({ user }) => user.groups),
    },
    {
      title: 'an update by that user of their own record',
      run: ({ ada }) => updateBy(by(ada), ada, ({ actor, user }) => [groupsOf(actor), user.groups]),
      expected: [CHANGED.groups, CHANGED.groups],
    },
    {
      title: 'a deletion by that user',
      run: ({ ada, member }) =>
        actorSeenIn((see) =>
          world().users.write(by(ada), { id: member.id }, (locked) => {
            see(locked.actor);
            return decideDeletion(OPERATOR, locked);
          }),
        ),
    },
    {
      title: 'a creation by that user',
      run: ({ ada }) => actorSeenIn((see) => world().users.create(by(ada), asNewUser(aUser().of(ada.division)), see)),
    },
    {
      title: 'a password link by that user',
      run: ({ ada, member }) =>
        actorSeenIn((see) =>
          world().passwordLinks.create(by(ada), { userId: member.id, digest: 'digest', lifetime: 60 }, ({ actor }) =>
            see(actor),
          ),
        ),
    },
    {
      title: 'an export by that user',
      run: ({ ada }) =>
        actorSeenIn(async (see) => {
          const { close } = await world().listExports.users(by(ada), ada.division.id, listQuery({}), see);
          await close();
        }),
    },
    {
      title: 'a change of the division by that user',
      run: ({ ada }) =>
        actorSeenIn((see) =>
          world().divisions.update(by(ada), ada.division.id, ({ actor }) => {
            see(actor);
            return 'unchanged';
          }),
        ),
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
