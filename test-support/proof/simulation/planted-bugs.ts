import type { User, UserRepository, UserWrite, WrittenUser } from '../../../packages/domain/src/index.ts';
import type { SimulatedWorld } from './world.ts';

/** A bug, put into a world by wrapping one of its ports. */
export type PlantedBug = (world: SimulatedWorld) => SimulatedWorld;

type Write = UserRepository['write'];

/** Returns a world with another write of users. */
const withWrite = (world: SimulatedWorld, change: (write: Write) => Write): SimulatedWorld => ({
  ...world,
  users: { ...world.users, write: change((...call) => world.users.write(...call)) },
});

/** Returns a world in which `alter` changes what writes of users decide. */
export const withDecisions = (
  world: SimulatedWorld,
  alter: (write: UserWrite, target: WrittenUser) => UserWrite | 'unchanged',
): SimulatedWorld =>
  withWrite(
    world,
    (write) => (author, target, decide) =>
      write(author, target, (locked) => {
        const decided = decide(locked);
        return decided === 'unchanged' ? decided : alter(decided, target);
      }),
  );

/** In the transaction of this kind of write, the rights of a Leader and Administrator replace the caller's. */
const writesWithoutRecheck =
  (kind: UserWrite['kind']): PlantedBug =>
  (world) =>
    withWrite(
      world,
      (write) => (author, target, decide) =>
        write(author, target, (locked) => {
          const { user } = locked;
          const actor = { ...user, id: author.userId ?? '', divisionId: user.division.id, groups: ['Leader'] as const };
          const decided = decide({ ...locked, actor: { ...actor, isActive: true, isSuperuser: true } });
          return decided !== 'unchanged' && decided.kind === kind ? decided : decide(locked);
        }),
    );

/** A creation does not check the caller's rights again in its transaction. */
const createsWithoutRecheck: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    create: (author, user, _permit, creation) => world.users.create(author, user, () => {}, creation),
  },
});

/** The check before a creation ignores the caller's present rights. */
const checksWithoutRights: PlantedBug = (world) => ({
  ...world,
  users: {
    ...world.users,
    checkCreation: (author, user, _permit, creation) => world.users.checkCreation(author, user, () => {}, creation),
  },
});

/** New passwords and deactivations end no sessions. */
const forgetsToEndSessions: PlantedBug = (world) =>
  withDecisions(world, (write) => (write.kind === 'change' ? { ...write, endsSessions: false } : write));

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
      write: (author, target, decide) =>
        world.users.write(author, target, (locked) => {
          const { revision, division } = locked.user;
          return decide({ ...locked, user: { ...(read.get(target.id) ?? locked.user), revision, division } });
        }),
    },
  };
};

/** The last active Leader of a division can be removed. */
const forgetsTheLastLeader: PlantedBug = (world) =>
  withWrite(
    world,
    (write) => (author, target, decide) =>
      write(author, target, (locked) => decide({ ...locked, isLastLeader: false })),
  );

/** Without force, the operator can move the last active Leader out of a division that has other members. */
const movesTheLastLeader: PlantedBug = (world) =>
  withWrite(
    world,
    (write) => (author, target, decide) =>
      write(author, target, (locked) => decide({ ...locked, leadsOthersAlone: false })),
  );

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
  users: {
    ...world.users,
    checkCreation: (author, user, permit) => world.users.checkCreation(author, user, permit),
    create: (author, user, permit) => world.users.create(author, user, permit),
  },
});

/** A deletion is acknowledged but not performed. */
const losesDeletions: PlantedBug = (world) =>
  withDecisions(world, (write) => (write.kind === 'delete' ? 'unchanged' : write));

/** Bugs that a simulation must find, by description. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a deletion without the check in its transaction': writesWithoutRecheck('delete'),
  'an update without the checks in its transaction': writesWithoutRecheck('change'),
  'a creation without the check in its transaction': createsWithoutRecheck,
  'a check of a creation without the rights of the caller': checksWithoutRights,
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
