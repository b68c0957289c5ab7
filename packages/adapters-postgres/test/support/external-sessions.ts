import { actorOf, isDomainError, type MakeSessionStore, notFound, OPERATOR, type UserId } from '@chapter/domain';
import { aUser, hashNamed, makeWorld, type SettableClock, storeUser } from '@chapter/domain/testing';

const PLACEHOLDER_HASH = hashNamed('placeholder');

/**
 * Makes an external session store, such as one on Redis: it does not share the transactions of the users. It stores its
 * sessions in memory, each for a placeholder of its user.
 */
export const externalSessions =
  (clock: SettableClock): MakeSessionStore =>
  (users) => {
    const store = makeWorld({ clock });
    const ensurePlaceholder = async (id: UserId): Promise<void> => {
      if (!(await store.users.find(id))) await storeUser(store, aUser().with({ id }), PLACEHOLDER_HASH);
    };
    const activeUser = async (id: UserId) => {
      const user = await users.find(id);
      return user?.isActive ? user : null;
    };
    return {
      sessions: {
        ...store.sessions,
        start: async (session, checked) => {
          await ensurePlaceholder(session.userId);
          const times = await store.sessions.start(session, PLACEHOLDER_HASH);
          try {
            // An update that changes nothing: it waits for a concurrent change of the user, and then sees its result.
            await users.update(OPERATOR, session.userId, ({ user, passwordHash }) => {
              if (!user.isActive || passwordHash !== checked) throw notFound();
              return { user, endsSessions: false };
            });
            return times;
          } catch (error) {
            await store.sessions.endOne(session.id, session.userId);
            if (isDomainError(error) && error.code === 'not_found') return null;
            throw error;
          }
        },
        rotate: async (rotation) => {
          const rotated = await store.sessions.rotate(rotation);
          const user = rotated && (await activeUser(rotated.user.id));
          return user && { ...rotated, user };
        },
      },
      actors: {
        find: async (userId, sessionId) => {
          const user = (await store.actors.find(userId, sessionId)) && (await activeUser(userId));
          return user && actorOf(user);
        },
      },
    };
  };
