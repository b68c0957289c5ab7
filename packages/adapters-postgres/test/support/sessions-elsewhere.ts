import { actorOf, isDomainError, type MakeSessionStore, notFound, OPERATOR, type UserId } from '@chapter/domain';
import { aUser, hashNamed, makeWorld, type SettableClock, storeUser } from '@chapter/domain/testing';

const STAND_IN_HASH = hashNamed('stand-in');

/**
 * A session store that does not share the transactions of the users, as one on Redis would not. It keeps its sessions in
 * memory, each for a stand-in of its user.
 */
export const sessionsElsewhere =
  (clock: SettableClock): MakeSessionStore =>
  (users) => {
    const kept = makeWorld({ clock });
    const admit = async (id: UserId): Promise<void> => {
      if (!(await kept.users.find(id))) await storeUser(kept, aUser().with({ id }), STAND_IN_HASH);
    };
    const activeUser = async (id: UserId) => {
      const user = await users.find(id);
      return user?.isActive ? user : null;
    };
    return {
      sessions: {
        ...kept.sessions,
        start: async (session, checked) => {
          await admit(session.userId);
          const times = await kept.sessions.start(session, STAND_IN_HASH);
          try {
            // Waits for a change of the user that is under way, compares with what it stored, and changes nothing.
            await users.update(OPERATOR, session.userId, ({ user, passwordHash }) => {
              if (!user.isActive || passwordHash !== checked) throw notFound();
              return { user, endsSessions: false };
            });
            return times;
          } catch (error) {
            await kept.sessions.endOne(session.id, session.userId);
            if (isDomainError(error) && error.code === 'not_found') return null;
            throw error;
          }
        },
        rotate: async (rotation) => {
          const rotated = await kept.sessions.rotate(rotation);
          const user = rotated && (await activeUser(rotated.user.id));
          return user && { ...rotated, user };
        },
      },
      actors: {
        find: async (userId, sessionId) => {
          const user = (await kept.actors.find(userId, sessionId)) && (await activeUser(userId));
          return user && actorOf(user);
        },
      },
    };
  };
