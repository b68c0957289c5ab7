import type { UserId } from '@chapter/domain';
import type { Client } from 'pg';

/** Users whose sessions are ended per query. */
const USERS_PER_QUERY = 1000;

/**
 * Ends the sessions of changed users in an external store, while the users are locked and after the database has accepted
 * the changes (docs/decisions/0020).
 *
 * @throws the errors of the store.
 */
export const endInStore = async (client: Client, endAll: (userId: UserId) => Promise<unknown>): Promise<void> => {
  for (let last = 0, isDone = false; !isDone; ) {
    const { rows } = await client.query<{ ordinal: number; id: UserId }>(
      `select ordinal, target as id from bulk_user where action = 'change' and ends_sessions and ordinal > $1
        order by ordinal limit ${USERS_PER_QUERY}`,
      [last],
    );
    for (const { id } of rows) await endAll(id);
    last = rows.at(-1)?.ordinal ?? last;
    isDone = rows.length < USERS_PER_QUERY;
  }
};
