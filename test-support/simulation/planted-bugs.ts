import { DomainError, type LockedUser, notFound, type User } from '../../packages/domain/src/index.ts';
import type { SimulatedWorld } from './world.ts';

/** A bug, put into a world by wrapping one of its ports. */
export type PlantedBug = (world: SimulatedWorld) => SimulatedWorld;

const RIGHTS = new Set(['invalid_token', 'forbidden', 'not_found']);

/** A deletion does not check the caller's rights again in its transaction. */
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

/** In its transaction, an update uses the rights of a Leader and Administrator instead of the caller's. */
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

/** A creation does not check the caller's rights again in its transaction. */
const createsWithoutRecheck: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    create: (author, user, _permit, creation) => world.users.create(author, user, () => {}, creation),
  },
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

/** The service confirms the end of a session by its id, but the session stays active. */
const losesSessionEnds: PlantedBug = (world) => ({
  ...world,
  sessions: { ...world.sessions, endOne: async (_, owner) => owner },
});

/** An update changes the user as read before the transaction, which undoes changes in between. */
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

/** The last active Leader of a division can be removed. */
const forgetsTheLastLeader: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    update: (author, id, change) => world.users.update(author, id, (locked) => change(asOneOfManyLeaders(locked))),
    delete: (author, id, permit) => world.users.delete(author, id, (locked) => permit(asOneOfManyLeaders(locked))),
  },
});

/** Without force, the operator can move the last active Leader out of a division that has other members. */
const movesTheLastLeader: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    move: (author, id, divisionId, change) =>
      world.users.move(author, id, divisionId, (locked, to) => change({ ...locked, leadsOthersAlone: false }, to)),
  },
});

/** A session starts although the password was changed after it was checked. */
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

/** A consumed refresh token is refused at once, without ending its session. */
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

/** A deletion is acknowledged but not performed. */
const losesDeletions: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    delete: async (author, id, permit) => {
      const found = await world.credentials.find(id);
      if (!found) throw notFound();
      const actor = { ...found.user, id: author.userId ?? '', divisionId: found.user.division.id };
      const leader = { ...actor, groups: ['Leader'] as const, isActive: true };
      permit({ ...found, actor: leader, isLastLeader: false, leadsOthersAlone: false });
    },
  },
});

/** Bugs that a simulation must find, by description. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a deletion without the check in its transaction': deletesWithoutRecheck,
  'an update without the checks in its transaction': updatesWithoutRecheck,
  'a creation without the check in its transaction': createsWithoutRecheck,
  'sessions that do not end with a new password or a deactivation': forgetsToEndSessions,
  'an update that undoes another': losesUpdates,
  'a last Leader who can be removed': forgetsTheLastLeader,
  'a last Leader who can be moved away': movesTheLastLeader,
  'a login that races a change of the password': startsWithAnOldPassword,
  'a consumed refresh token that is refused without ending its session': refusesRepeats,
  'a creation that ignores its idempotency key': ignoresKeys,
  'a deletion that is acknowledged but not performed': losesDeletions,
  'the end of a session that is acknowledged but not performed': losesSessionEnds,
};
