import { type Instant, SESSION_RULES, type SessionId, type UserId } from '@chapter/domain';
import { sql } from 'kysely';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import { db } from '../schema/tables.ts';
import { isActive, withEndedSessions } from '../users/end-sessions.ts';

// The column is null before the first refresh, and in sessions of release 0.1.0.
const refreshedAt = sql<Instant>`coalesce(${sql.ref('refreshed_at')}, ${sql.ref('started_at')})`;

/** Lists the active sessions of a user, newest first. */
export const LIST = defineStatement(
  'list-sessions',
  (value: Parameters<{ userId: UserId }>) =>
    db
      .selectFrom('session')
      .select(['id', 'started_at', refreshedAt.as('refreshed_at'), 'expires_at', 'user_agent'])
      .where('user_id', '=', value('userId'))
      .where(isActive)
      .orderBy('started_at', 'desc')
      .orderBy('id', 'desc'),
  { columns: ['id', 'started_at', 'refreshed_at', 'expires_at', 'user_agent'] },
);

/** Finds the user of an active session. */
export const FIND_OWNER = defineStatement(
  'find-session-owner',
  (value: Parameters<{ id: SessionId }>) =>
    db.selectFrom('session').select('user_id').where('id', '=', value('id')).where(isActive),
  { columns: ['user_id'] },
);

/**
 * Ends the least recently refreshed sessions of a user beyond the limit, but never the session `id`. It runs after that
 * session is stored and before its tokens are returned, so that the last of several concurrent logins sees all sessions. The
 * next login also ends excess sessions that release 0.1.0 left.
 */
export const END_EXCESS = defineStatement(
  'end-excess-sessions',
  (value: Parameters<{ id: SessionId; userId: UserId }>) =>
    withEndedSessions((eb) =>
      eb(
        'id',
        'in',
        eb
          .selectFrom('session')
          .select('id')
          .where('id', 'in', (excess) =>
            excess
              .selectFrom('session')
              .select('id')
              .where('user_id', '=', value('userId'))
              .where('id', '!=', value('id'))
              .where(isActive)
              .orderBy(refreshedAt, 'desc')
              .orderBy('id', 'desc')
              .offset(sql.lit(SESSION_RULES.maxPerUser - 1)),
          )
          // Concurrent logins end the same sessions. Locking them in one order prevents a deadlock.
          .orderBy('id')
          .forUpdate(),
      ),
    ).select('id'),
);
