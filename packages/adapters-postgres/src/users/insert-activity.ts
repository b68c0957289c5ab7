import type { CalendarDate, UserId } from '@chapter/domain';
import { type QueryCreator, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** The present day in UTC. */
export const TODAY = sql<CalendarDate>`(now() at time zone 'UTC')::date`;

/** The tables, and `active_user`: the user of the session that the statement starts or refreshes. */
type WithActiveUser = Tables & { readonly active_user: { readonly id: UserId } };

/**
 * Stores the present day for the user in `active_user`, a common table expression of the same statement. Locks and writes
 * nothing if the day is stored already.
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
        // Skips a user who is being deleted: the check of the foreign key would wait for the deletion, which may be waiting for
        // the session of this statement.
        .forKeyShare('u')
        .skipLocked(),
    )
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet((eb) => ({ last_active_on: eb.ref('excluded.last_active_on') }))
        .whereRef('user_activity.last_active_on', '<', 'excluded.last_active_on'),
    );
