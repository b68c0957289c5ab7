import {
  type Actor,
  type Author,
  actorOf,
  type DivisionId,
  isActiveLeader,
  type LockedUser,
  notFound,
  parseUuid,
  type User,
  type UserId,
  type WrittenUser,
} from '@chapter/domain/ports';
import { type Expression, type ExpressionBuilder, type QueryCreator, sql } from 'kysely';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { exclusiveLock, queued, sharedLock } from '../schema/advisory-locks.ts';
import { db, type Tables } from '../schema/tables.ts';
import { CREDENTIAL_COLUMNS, listedSelection, toCredentials, userRevision, versionsIn } from './user-rows.ts';

const LOCKS = { columns: CREDENTIAL_COLUMNS, isReadOnly: true } as const;

type QueuedTables = ReturnType<typeof queued> extends QueryCreator<infer Known> ? Known : never;
type Builder = ExpressionBuilder<QueuedTables, never>;

// A subquery reads the division of the latest version of the user's row. A join would lose a user who moved to another
// division while the statement waited.
const divisionOf = (eb: ExpressionBuilder<Tables & { u: Tables['user_account'] }, 'u'>) =>
  eb.selectFrom('division as d').whereRef('d.id', '=', 'u.division_id');

const userWithId = (eb: Builder, id: Expression<string>) =>
  eb
    .selectFrom(['queued', 'user_account as u'])
    .select((u) => [
      'u.password_hash',
      'u.division_id',
      divisionOf(u).select('d.name').$asScalar().$notNull().as('division_name'),
      'u.version',
      divisionOf(u).select('d.name_version').$asScalar().$notNull().as('name_version'),
    ])
    .select(listedSelection)
    .where('u.id', '=', id);

type OfActor = Parameters<{ actor: UserId }>;
type OfTarget = Parameters<{ target: UserId }>;

const lockedActor = (value: OfActor) => (eb: Builder) => userWithId(eb, value('actor')).forShare('u').as('a');
const lockedTarget = (value: OfTarget) => (eb: Builder) => userWithId(eb, value('target')).forNoKeyUpdate('u').as('t');

const LOCK_ACTOR = defineStatement(
  'lock-actor',
  (value: OfActor) =>
    queued(sharedLock('user', value('actor')))
      .selectFrom(lockedActor(value))
      .select(CREDENTIAL_COLUMNS),
  LOCKS,
);
const LOCK_TARGET = defineStatement(
  'lock-target',
  (value: OfTarget) =>
    queued(exclusiveLock('user', value('target')))
      .selectFrom(lockedTarget(value))
      .select(CREDENTIAL_COLUMNS),
  LOCKS,
);

// All transactions lock users in the order of their ids, which prevents deadlocks.
const LOCK_ACTOR_FIRST = defineStatement(
  'lock-actor-and-target',
  (value: Parameters<{ actor: UserId; target: UserId }>) =>
    queued(sharedLock('user', value('actor')), exclusiveLock('user', value('target')))
      .selectFrom(lockedActor(value))
      .select(CREDENTIAL_COLUMNS)
      .unionAll((eb) => eb.selectFrom(lockedTarget(value)).select(CREDENTIAL_COLUMNS)),
  LOCKS,
);
const LOCK_TARGET_FIRST = defineStatement(
  'lock-target-and-actor',
  (value: Parameters<{ actor: UserId; target: UserId }>) =>
    queued(exclusiveLock('user', value('target')), sharedLock('user', value('actor')))
      .selectFrom(lockedTarget(value))
      .select(CREDENTIAL_COLUMNS)
      .unionAll((eb) => eb.selectFrom(lockedActor(value)).select(CREDENTIAL_COLUMNS)),
  LOCKS,
);

/** Returns the author's rights, locked until the transaction ends; null for the operator and a deleted author. */
export const lockActor = async (tx: Transaction, userId: UserId | null): Promise<Actor | null> => {
  if (userId === null) return null;
  const [row] = await LOCK_ACTOR.run(tx, { actor: userId });
  return row ? actorOf(toCredentials(row).user) : null;
};

/** Locks a user for a change, and the author's rights against changes. */
export const lockActorAndTarget = async (tx: Transaction, actorId: UserId | null, targetId: UserId) => {
  if (parseUuid(targetId) !== targetId) return { actor: await lockActor(tx, actorId), target: undefined };
  const lock = () =>
    actorId === null || actorId === targetId
      ? LOCK_TARGET.run(tx, { target: targetId })
      : (actorId < targetId ? LOCK_ACTOR_FIRST : LOCK_TARGET_FIRST).run(tx, { actor: actorId, target: targetId });
  let rows = await lock();
  // While the statement waited, an import may have moved a user to a division that is newer than its snapshot.
  if (rows.some(([, , divisionName]) => divisionName === null)) rows = await lock();
  const found = rows.map(toCredentials);
  const author = found.find(({ user }) => user.id === actorId);
  return { actor: author ? actorOf(author.user) : null, target: found.find(({ user }) => user.id === targetId) };
};

const LOCK_LEADERS = defineStatement(
  'lock-leaders',
  (value: Parameters<{ id: DivisionId }>) => db.selectFrom('division').where('id', '=', value('id')).forNoKeyUpdate(),
  { isReadOnly: true },
);
type OtherMembers = Parameters<{ divisionId: DivisionId; except: UserId }>;

const othersIn = (value: OtherMembers) =>
  db.selectFrom('user_account').where('division_id', '=', value('divisionId')).where('id', '<>', value('except'));

const FIND_OTHERS = defineStatement(
  'find-other-members',
  (others: OtherMembers) =>
    db.selectNoFrom((eb) => [
      eb
        .exists(
          othersIn(others)
            .where((user) => user.ref('is_active'))
            // Worded like the condition of the index `user_account_active_leader`, so that the planner can use it.
            .where(sql<boolean>`${sql.ref('groups')} @> '{Leader}'`),
        )
        .as('has_leader'),
      eb.exists(othersIn(others)).as('has_member'),
    ]),
  { columns: ['has_leader', 'has_member'], isReadOnly: true },
);

/**
 * Returns whether a user is the only active Leader of their division, and if so, whether it has other members. Locks
 * the division first: if two transactions each remove a Leader, the second one sees the change of the first.
 */
const leadershipOf = async (
  tx: Transaction,
  user: User,
): Promise<Pick<LockedUser, 'isLastLeader' | 'leadsOthersAlone'>> => {
  if (!isActiveLeader(user)) return { isLastLeader: false, leadsOthersAlone: false };
  LOCK_LEADERS.send(tx, { id: user.division.id });
  const [row] = await FIND_OTHERS.run(tx, { divisionId: user.division.id, except: user.id });
  const [hasLeader, hasMember] = row ?? [];
  return { isLastLeader: !hasLeader, leadsOthersAlone: !hasLeader && hasMember === true };
};

const LOCK_FOR_MEMBER = defineStatement(
  'lock-division-of-member',
  (value: Parameters<{ id: DivisionId }>) =>
    queued(sharedLock('division', value('id')))
      .selectFrom(['queued', 'division as d'])
      .select(['d.name', 'd.name_version'])
      .where('d.id', '=', value('id'))
      .forKeyShare('d'),
  { columns: ['name', 'name_version'], isReadOnly: true },
);

/**
 * Locks the division that a user joins against its deletion and against changes of its name. Returns it with the
 * version of its name.
 *
 * @throws DomainError `not_found`.
 */
export const lockDivisionOfMember = async (tx: Transaction, id: DivisionId) => {
  const [row] = parseUuid(id) === undefined ? [] : await LOCK_FOR_MEMBER.run(tx, { id });
  if (!row) throw notFound();
  const [name, nameVersion] = row;
  return { division: { id, name }, nameVersion };
};

/**
 * Locks the author and a user, and the division that the user is to move to, if any. Returns null if there is no such user.
 *
 * @throws DomainError `not_found` if there is no such division.
 */
export const lockUser = async (tx: Transaction, author: Author, { divisionId, id }: WrittenUser) => {
  const { actor, target } = await lockActorAndTarget(tx, author.userId, id);
  if (!target) return null;
  const { passwordHash, user } = target;
  const [version, presentName] = versionsIn(user.revision);
  const present = { division: user.division, nameVersion: presentName };
  // Lock the new division before `leadershipOf` locks the old one, so that a wait for the new one blocks no other move.
  const { division, nameVersion } = divisionId === undefined ? present : await lockDivisionOfMember(tx, divisionId);
  const locked = { actor, user, passwordHash, division, ...(await leadershipOf(tx, user)) };
  return { locked, nextRevision: userRevision(version + 1, nameVersion) };
};
