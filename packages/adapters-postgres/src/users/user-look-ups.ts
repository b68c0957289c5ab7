import {
  type ActorDirectory,
  actorOf,
  isUuid,
  type SessionId,
  type UserId,
  type UserRepository,
} from '@chapter/domain/ports';
import { type Expression, sql } from 'kysely';
import { batched } from '../connection/runner.ts';
import { anyIdOf, defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { userMapping } from '../schema/mapping.ts';
import { db } from '../schema/tables.ts';
import { toUser, USER_COLUMNS, type UserRow, userSelection, usersWithDivision } from './user-rows.ts';

/** The fields of a user that rights depend on, besides the id and the division. */
export const ACTOR_FIELDS = ['username', 'groups', 'isActive', 'isStaff', 'isSuperuser'] as const;

/** The columns of a user that rights depend on. */
export const ACTOR_COLUMNS = ['id', 'division_id', ...ACTOR_FIELDS.map((field) => userMapping[field].column)];

// `toUser` needs the last one.
const CALLER_COLUMNS: ReadonlySet<string> = new Set([...ACTOR_COLUMNS, 'date_joined']);

/**
 * Returns a column of a caller. It is null if rights do without it, because each value that is read takes time. So the
 * row of a caller is no user: only `actorOf` may read it.
 */
const callerColumn = (column: (typeof USER_COLUMNS)[number]) =>
  (CALLER_COLUMNS.has(column) ? sql<never>`${sql.ref(`u.${column}`)}` : sql<never>`null`).as(column);

const COLUMNS = ['session_id', ...USER_COLUMNS] as const;

/**
 * Raises an error on a standby, to which a pooler may have switched since the connection was checked: there, a caller
 * may have rights that the primary has taken away. Evaluated once for each statement.
 */
const IS_PRIMARY = sql<boolean>`(select case when pg_is_in_recovery() then pg_current_wal_lsn() is not null else true end)`;

const selectCallers = (sessionIds: Expression<readonly SessionId[]>) =>
  db
    .selectFrom('session as s')
    .innerJoin('user_account as u', 'u.id', 's.user_id')
    .select('s.id as session_id')
    .select(USER_COLUMNS.map(callerColumn))
    .where('s.id', '=', anyIdOf(sessionIds))
    .where('s.expires_at', '>', sql<string>`now()`)
    .where('u.is_active', '=', sql.lit(true))
    .where(IS_PRIMARY);

const FIND_CALLERS = defineStatement(
  'find-callers',
  (value: Parameters<{ sessionIds: readonly SessionId[] }>) => selectCallers(value('sessionIds')),
  { columns: COLUMNS },
);

const FIND_CALLERS_AND_USERS = defineStatement(
  'find-callers-and-users',
  (value: Parameters<{ userIds: readonly UserId[]; sessionIds: readonly SessionId[] }>) =>
    usersWithDivision
      .select(sql<SessionId | null>`null::uuid`.as('session_id'))
      .select(userSelection)
      .where('u.id', '=', anyIdOf(value('userIds')))
      .unionAll(selectCallers(value('sessionIds'))),
  { columns: COLUMNS },
);

const idOf = ([, , , , id]: UserRow): UserId => id;

/** A user to look up: a caller with their session, or a target. */
type LookUp = readonly [sessionId: SessionId | null, userId: UserId];

const keyOf = (...[sessionId, userId]: LookUp): string => `${sessionId} ${userId}`;

/**
 * Makes the look-ups of callers and of targets. They share batches, so a caller and a target that are looked up at the
 * same time take one statement. The database's clock decides which sessions have expired.
 */
export const makeUserLookUps = (runner: Runner): Pick<UserRepository, 'find'> & { readonly actors: ActorDirectory } => {
  const load = batched(async (lookUps: readonly LookUp[]) => {
    const userIds = lookUps.flatMap(([sessionId, userId]) => (sessionId === null ? userId : []));
    const sessionIds = lookUps.flatMap(([sessionId]) => sessionId ?? []);
    // Lists have no target, and a statement without the union takes less time.
    const find = userIds.length === 0 ? FIND_CALLERS : FIND_CALLERS_AND_USERS;
    const rows = await find.run(runner, { userIds, sessionIds });
    const found = new Map(rows.map(([sessionId, ...row]) => [keyOf(sessionId, idOf(row)), row]));
    return lookUps.map((lookUp) => found.get(keyOf(...lookUp)));
  });
  // One malformed UUID would fail the statement for all look-ups in the batch.
  return {
    find: async (userId) => {
      const row = isUuid(userId) ? await load([null, userId]) : undefined;
      return row ? toUser(row) : null;
    },
    actors: {
      find: async (userId, sessionId) => {
        const row = isUuid(sessionId) ? await load([sessionId, userId]) : undefined;
        return row ? actorOf(toUser(row)) : null;
      },
    },
  };
};
