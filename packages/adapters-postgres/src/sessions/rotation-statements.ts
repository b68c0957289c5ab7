import type { Instant, SessionId, TokenDigests, UserId } from '@chapter/domain/ports';
import { type QueryCreator, sql } from 'kysely';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import { db, excluded, type Tables } from '../schema/tables.ts';
import { TODAY } from '../users/user-directory.ts';
import { USER_COLUMNS, userSelection } from '../users/user-rows.ts';

/** How many tokens a refresh deletes at most. It stores one, so that their number falls to those that must be stored. */
const MAX_FORGOTTEN_TOKENS = 100;

/** Returns the id of the session that stores a token, or else of the one that stores its family. */
export const sessionOf = (value: Parameters<TokenDigests>) =>
  sql<SessionId>`coalesce(${db.selectFrom('refresh_token').select('session_id').where('digest', '=', value('digest'))},
    ${db.selectFrom('session').select('id').where('family', '=', value('family'))})`;

/** Locks the session of a refresh token, and returns its id. */
export const LOCK_SESSION = defineStatement(
  'lock-session',
  (token: Parameters<TokenDigests>) =>
    db.selectFrom('session').select('id').where('id', '=', sessionOf(token)).forNoKeyUpdate(),
  { columns: ['id'], isReadOnly: true },
);

/** Finds a session with its user, a refresh token if it is stored, and the number of tokens issued for it or its siblings. */
// Separate from LOCK_SESSION, so that it reads what was committed while that statement waited. `now()` is rounded like
// the columns, so that it compares correctly with stored times.
export const FIND_TOKEN = defineStatement(
  'find-token',
  (value: Parameters<{ digest: string; sessionId: SessionId }>) =>
    db
      .selectFrom('session as s')
      .leftJoin('refresh_token as t', (join) => join.on('t.digest', '=', value('digest')))
      .innerJoin('user_account as u', 'u.id', 's.user_id')
      .innerJoin('division as d', 'd.id', 'u.division_id')
      .select(['s.started_at', 's.counted_since', 's.refreshes'])
      .select(['t.spent_at', 't.spent_by', 't.parent', 't.expires_at'])
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
      .where('s.id', '=', value('sessionId')),
  {
    columns: [
      'started_at',
      'counted_since',
      'refreshes',
      'spent_at',
      'spent_by',
      'parent',
      'expires_at',
      'now',
      'issued',
      ...USER_COLUMNS,
    ],
  },
);

/** The tables, and `active_user`: the user of the session that the statement starts or refreshes. */
type WithActiveUser = Tables & { readonly active_user: { readonly id: UserId } };

/**
 * Stores the present day for the user in `active_user`, a common table expression of the same statement. Locks and
 * writes nothing if the day is stored already.
 */
export const insertActivity = (query: QueryCreator<WithActiveUser>) =>
  query
    .insertInto('user_activity')
    .columns(['user_id', 'last_active_on'])
    .expression((eb) =>
      eb
        .selectFrom(['active_user', 'user_account as u'])
        .select(['u.id', TODAY.as('day')])
        .whereRef('u.id', '=', 'active_user.id')
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('user_activity as known')
                .whereRef('known.user_id', '=', 'u.id')
                .where('known.last_active_on', '>=', TODAY),
            ),
          ),
        )
        // Skips a user who is being deleted: the check of the foreign key would wait for the deletion, which may be
        // waiting for the session of this statement.
        .forKeyShare('u')
        .skipLocked(),
    )
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet(excluded(['last_active_on']))
        .whereRef('user_activity.last_active_on', '<', 'excluded.last_active_on'),
    );

interface SpentToken extends TokenDigests {
  now: Instant;
  forgotten: Instant;
  spentBy: string;
  parent: string | null;
  next: string;
  nextExpiresAt: Instant;
  sessionId: SessionId;
  since: Instant;
  refreshes: number;
}

/**
 * Consumes a token with its siblings, deletes those consumed before `forgotten`, stores the next token and the count of
 * refreshes, and notes the day of its user's activity.
 */
// If a sibling of the next token has been used already, the next token is stored as consumed.
export const SPEND_TOKEN = defineStatement('spend-token', (value: Parameters<SpentToken>) =>
  db
    .with('spent', (cte) =>
      cte
        .updateTable('refresh_token')
        .set({ spent_at: value('now'), spent_by: value('spentBy') })
        .where((eb) => eb('digest', '=', value('digest')).or('parent', '=', value('parent')))
        .where('spent_at', 'is', null),
    )
    .with('deleted', (cte) =>
      cte.deleteFrom('refresh_token').where('digest', 'in', (eb) =>
        eb
          .selectFrom('refresh_token')
          .select('digest')
          .where('session_id', '=', value('sessionId'))
          .where('spent_at', '<', value('forgotten'))
          // The reuse of a token that release 0.1.0 consumed may show only while the token is stored: it has another family.
          .where('spent_by', 'is not', null)
          .limit(sql.lit(MAX_FORGOTTEN_TOKENS)),
      ),
    )
    .with('active_user', (cte) =>
      cte
        .updateTable('session')
        .set({
          expires_at: sql<Instant>`greatest(${sql.ref('expires_at')}, ${value('nextExpiresAt')})`,
          refreshed_at: value('now'),
          family: value('family'),
          counted_since: value('since'),
          refreshes: value('refreshes'),
        })
        .where('id', '=', value('sessionId'))
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
              .where('parent', '=', value('spentBy'))
              .where('spent_at', 'is not', null)
              .orderBy('spent_at')
              .limit(sql.lit(1))
              .as('used'),
          (join) => join.onTrue(),
        )
        .select([
          sql<string>`${value('next')}::text`.as('digest'),
          sql<SessionId>`${value('sessionId')}::uuid`.as('session_id'),
          sql<Instant>`${value('nextExpiresAt')}::timestamptz`.as('expires_at'),
          sql<string>`${value('spentBy')}::text`.as('parent'),
          'used.spent_at',
          'used.spent_by',
        ]),
    ),
);
