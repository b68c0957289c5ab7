import type { SessionId, UserId } from '@chapter/domain/ports';
import { type ExpressionOrFactory, type SqlBool, sql } from 'kysely';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { db, type Tables } from '../schema/tables.ts';

/**
 * How many refresh tokens the end of sessions deletes at most. Release 0.1.0 may have stored any number for a session;
 * the others are useless without it and deleted when they expire.
 */
const MAX_DELETED_TOKENS = 1000;

/** The condition that a session has not expired. */
export const isActive = sql<boolean>`${sql.ref('expires_at')} > now()`;

/**
 * Begins a statement that ends the sessions that meet a condition. The rest selects from `ended`. Simultaneous statements end the
 * same sessions, for instance when a user logs in and is deactivated. Locking them in one order prevents a deadlock.
 */
export const withEndedSessions = (condition: ExpressionOrFactory<Tables, 'session', SqlBool>) =>
  db
    .with('ended', (cte) =>
      cte
        .deleteFrom('session')
        .where('id', 'in', (eb) => eb.selectFrom('session').select('id').where(condition).orderBy('id').forUpdate())
        .returning(['id', isActive.as('is_active')]),
    )
    .with('deleted_tokens', (cte) =>
      cte.deleteFrom('refresh_token').where('digest', 'in', (eb) =>
        eb
          .selectFrom('ended')
          // The limit of each session keeps PostgreSQL from reading the whole table.
          .innerJoinLateral(
            (tokens) =>
              tokens
                .selectFrom('refresh_token')
                .select('digest')
                .whereRef('session_id', '=', 'ended.id')
                .limit(sql.lit(MAX_DELETED_TOKENS))
                .as('t'),
            (join) => join.onTrue(),
          )
          .select('t.digest')
          .limit(sql.lit(MAX_DELETED_TOKENS)),
      ),
    )
    .selectFrom('ended');

/** Ends an active session of its owner. */
export const END_ONE = defineStatement(
  'end-one-session',
  (value: Parameters<{ id: SessionId; owner: UserId }>) =>
    withEndedSessions((eb) =>
      eb.and([eb('id', '=', value('id')), eb('user_id', '=', value('owner')), isActive]),
    ).select('id'),
  { columns: ['id'] },
);

/** Ends all sessions of a user, and returns for each whether it was active. */
export const END_ALL = defineStatement(
  'end-all-sessions',
  (value: Parameters<{ userId: UserId }>) =>
    withEndedSessions((eb) => eb('user_id', '=', value('userId'))).select('is_active'),
  { columns: ['is_active'] },
);

/** Ends an active session of a user, or all if `sessionId` is null. Returns how many were active. */
export const endOneOrAll = async (runner: Runner, userId: UserId, sessionId: SessionId | null): Promise<number> => {
  if (sessionId !== null) return (await END_ONE.run(runner, { id: sessionId, owner: userId })).length;
  return (await END_ALL.run(runner, { userId })).filter(([active]) => active).length;
};
