import type { Instant, SessionId } from '@chapter/domain';
import { sql } from 'kysely';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import { db } from '../schema/tables.ts';
import { insertActivity } from '../users/insert-activity.ts';
import { USER_COLUMNS, userSelection } from '../users/user-rows.ts';

/** Locks the session of a refresh token. */
export const LOCK_SESSION = defineStatement(
  'lock-session',
  ({ digest }: Parameters<{ digest: string }>) =>
    db
      .selectFrom('session')
      .where('id', '=', (eb) => eb.selectFrom('refresh_token').select('session_id').where('digest', '=', digest))
      .forNoKeyUpdate(),
  { isReadOnly: true },
);
/** Finds a refresh token with its session and user, and the number of tokens issued for it or its siblings. */
// Separate from LOCK_SESSION, so that it reads what was committed while that statement waited. `now()` is rounded like the
// columns, so that it compares correctly with stored times.
export const FIND_TOKEN = defineStatement(
  'find-token',
  ({ digest }: Parameters<{ digest: string }>) =>
    db
      .selectFrom('refresh_token as t')
      .innerJoin('session as s', 's.id', 't.session_id')
      .innerJoin('user_account as u', 'u.id', 's.user_id')
      .innerJoin('division as d', 'd.id', 'u.division_id')
      .select(['t.session_id', 't.spent_at', 't.spent_by', 't.parent', 't.expires_at', 's.started_at'])
      .select((eb) => [
        sql<Instant>`now()::timestamptz(3)`.as('now'),
        eb
          .selectFrom('refresh_token as c')
          .select(sql<number>`count(*)::int`.as('count'))
          .where('c.parent', '=', eb.fn.coalesce('t.spent_by', 't.digest'))
          .$asScalar()
          .$notNull()
          .as('issued'),
      ])
      .select(userSelection)
      .where('t.digest', '=', digest),
  {
    columns: [
      'session_id',
      'spent_at',
      'spent_by',
      'parent',
      'expires_at',
      'started_at',
      'now',
      'issued',
      ...USER_COLUMNS,
    ],
  },
);

interface SpentToken {
  digest: string;
  now: Instant;
  spentBy: string;
  parent: string | null;
  next: string;
  nextExpiresAt: Instant;
  sessionId: SessionId;
}

/** Consumes a token with its siblings, stores the next one, and notes the day of its user's activity. */
// If a sibling of the next token has been used already, the next token is stored as consumed.
export const SPEND_TOKEN = defineStatement(
  'spend-token',
  ({ digest, now, spentBy, parent, next, nextExpiresAt, sessionId }: Parameters<SpentToken>) =>
    db
      .with('spent', (cte) =>
        cte
          .updateTable('refresh_token')
          .set({ spent_at: now, spent_by: spentBy })
          .where((eb) => eb('digest', '=', digest).or('parent', '=', parent))
          .where('spent_at', 'is', null),
      )
      .with('active_user', (cte) =>
        cte
          .updateTable('session')
          .set({
            expires_at: sql<Instant>`greatest(${sql.ref('expires_at')}, ${nextExpiresAt})`,
            refreshed_at: now,
          })
          .where('id', '=', sessionId)
          .returning('user_id as id'),
      )
      .with('noted', insertActivity)
      .insertInto('refresh_token')
      .columns(['digest', 'session_id', 'expires_at', 'parent', 'spent_at', 'spent_by'])
      .expression((eb) =>
        eb
          .selectFrom(db.selectNoFrom(sql.lit(1).as('one')).as('one'))
          .leftJoin(
            (used) =>
              used
                .selectFrom('refresh_token')
                .select(['spent_at', 'spent_by'])
                .where('parent', '=', spentBy)
                .where('spent_at', 'is not', null)
                .orderBy('spent_at')
                .limit(sql.lit(1))
                .as('used'),
            (join) => join.onTrue(),
          )
          .select([
            sql<string>`${next}::text`.as('digest'),
            sql<SessionId>`${sessionId}::uuid`.as('session_id'),
            sql<Instant>`${nextExpiresAt}::timestamptz`.as('expires_at'),
            sql<string>`${spentBy}::text`.as('parent'),
            'used.spent_at',
            'used.spent_by',
          ]),
      ),
);
/** Ends a session. */
export const END_REUSED_SESSION = defineStatement('end-reused-session', ({ id }: Parameters<{ id: SessionId }>) =>
  db.deleteFrom('session').where('id', '=', id),
);
