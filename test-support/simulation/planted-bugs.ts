import { DomainError, type LockedUser, notFound, type User } from '../../packages/domain/src/index.ts';
import type { SimulatedWorld } from './world.ts';

/** A bug, put into a world by wrapping one of its ports. */
export type PlantedBug = (world: SimulatedWorld) => SimulatedWorld;

const RIGHTS = new Set(['invalid_token', 'forbidden', 'not_found']);

/** A deletion no longer checks in its transaction whether the caller still may. */
const deletesWithoutRecheck: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    delete: (author, id, permit) =>
      world.users.delete(author, id, (locked) => {
        try {
          permit(locked);
        } catch (error) {
          if (!(error instanceof DomainError && RIGHTS.has(error.code))) throw error;
        }
      }),
  },
});

/** An update decides in its transaction by the rights of a Leader and Administrator, which the caller may not have. */
const updatesWithoutRecheck: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    update: (author, id, change) =>
      world.users.update(author, id, (locked) => {
        const { user } = locked;
        const actor = { ...user, id: author.userId ?? '', divisionId: user.division.id, groups: ['Leader'] as const };
        return change({ ...locked, actor: { ...actor, isActive: true, isSuperuser: true } });
      }),
  },
});

/** A creation no longer checks in its transaction whether the caller still may. */
const createsWithoutRecheck: PlantedBug = (world) => ({
  ...world,
  users: { ...world.users, create: (author, user, _permit, once) => world.users.create(author, user, () => {}, once) },
});

/** New passwords and deactivations end no sessions. */
const forgetsToEndSessions: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    update: (author, id, change) =>
      world.users.update(author, id, (locked) => ({ ...change(locked), endsSessions: false })),
  },
});

/** The end of a session by its id is acknowledged, and the session goes on. */
const losesSessionEnds: PlantedBug = (world) => ({
  ...world,
  sessions: { ...world.sessions, endOne: async (_, owner) => owner },
});

/** An update writes to what was read before it, and so undoes what was written in between. */
const losesUpdates: PlantedBug = (world) => {
  const read = new Map<string, User>();
  return {
    ...world,
    users: {
      ...world.users,
      find: async (id) => {
        const user = await world.users.find(id);
        if (user) read.set(id, user);
        return user;
      },
      update: (author, id, change) =>
        world.users.update(author, id, (locked) => {
          const { revision, division } = locked.user;
          return change({ ...locked, user: { ...(read.get(id) ?? locked.user), revision, division } });
        }),
    },
  };
};

const asOneOfManyLeaders = (locked: LockedUser): LockedUser => ({ ...locked, isLastLeader: false });

/** The last active Leader of a division may go. */
const forgetsTheLastLeader: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    update: (author, id, change) => world.users.update(author, id, (locked) => change(asOneOfManyLeaders(locked))),
    delete: (author, id, permit) => world.users.delete(author, id, (locked) => permit(asOneOfManyLeaders(locked))),
  },
});

/** A session starts though the password was changed since it was checked. */
const startsWithAnOldPassword: PlantedBug = (world) => ({
  ...world,
  sessions: {
    ...world.sessions,
    start: async (session, checked) => {
      const present = await world.credentials.find(session.userId);
      return world.sessions.start(session, present?.passwordHash ?? checked);
    },
  },
});

/** A consumed refresh token is refused at once, without its session's end. */
const refusesRepeats: PlantedBug = (world) => {
  const consumed = new Set<string>();
  return {
    ...world,
    sessions: {
      ...world.sessions,
      rotate: async (rotation) => {
        if (consumed.has(rotation.digest)) return null;
        consumed.add(rotation.digest);
        return world.sessions.rotate(rotation);
      },
    },
  };
};

/** A repeated creation with an idempotency key creates again. */
const ignoresKeys: PlantedBug = (world) => ({
  ...world,
  users: { ...world.users, create: (author, user, permit) => world.users.create(author, user, permit) },
});

/** An acknowledged deletion is not performed. */
const losesDeletions: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    delete: async (author, id, permit) => {
      const found = await world.credentials.find(id);
      if (!found) throw notFound();
      const actor = { ...found.user, id: author.userId ?? '', divisionId: found.user.division.id };
      permit({ ...found, actor: { ...actor, groups: ['Leader'], isActive: true }, isLastLeader: false });
    },
  },
});

/** Bugs that a simulation must find, by what they do. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a deletion without the check in its transaction': deletesWithoutRecheck,
  'an update without the checks in its transaction': updatesWithoutRecheck,
  'a creation without the check in its transaction': createsWithoutRecheck,
  'sessions that do not end with a new password or a deactivation': forgetsToEndSessions,
  'an update that undoes another': losesUpdates,
  'a last Leader who may go': forgetsTheLastLeader,
  'a login that races a change of the password': startsWithAnOldPassword,
  'a consumed refresh token that is refused without ending its session': refusesRepeats,
  'a creation that ignores its idempotency key': ignoresKeys,
  'a deletion that is acknowledged but not performed': losesDeletions,
  'the end of a session that is acknowledged but not performed': losesSessionEnds,
};
