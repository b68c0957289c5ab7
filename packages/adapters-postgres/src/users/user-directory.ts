import {
  type CalendarDate,
  DIRECTORY_PAGE_SIZE,
  type DivisionId,
  makeFairQueue,
  parseUuid,
  type UserActivity,
  type UserDirectory,
  type UserId,
  type UserSelection,
} from '@chapter/domain/ports';
import { sql } from 'kysely';
import { defineStatement, type Parameters, type Runner, runOn } from '../connection/statement.ts';
import { timers } from '../connection/transaction.ts';
import { BEGIN_SNAPSHOT, type WithClient } from '../connection/unpooled-clients.ts';
import { ACTIVE_OR_JOINED_ON, countMembers } from './count-members.ts';
import { TODAY } from './insert-activity.ts';
import { toUser, USER_COLUMNS, type UserRow, userSelection, usersWithDivision } from './user-rows.ts';

/**
 * The counts that run at once, in all and in one division. Each may take a connection and a processor for a while, so that more
 * would delay other requests.
 */
const COUNT_LIMITS = { maxRunning: 2, maxPerKey: [1], maxWaiting: 20 };

/** Maximum number of rows that one FETCH returns. */
export const USERS_PER_FETCH = 500;

const usersWithActivity = usersWithDivision
  .leftJoin('user_activity as a', 'a.user_id', 'u.id')
  .select(['a.last_active_on', ...userSelection]);

const FIND_USER_WITH_ACTIVITY = defineStatement(
  'find-user-with-activity',
  (value: Parameters<{ id: UserId }>) => usersWithActivity.where('u.id', '=', value('id')),
  { columns: ['last_active_on', ...USER_COLUMNS] },
);

/** Less than or equal to every UUID. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

// The limit is a constant: with an unknown limit, PostgreSQL would plan to sort all users.
const inPages = usersWithDivision.select(userSelection).limit(sql.lit(DIRECTORY_PAGE_SIZE));

const PAGE_OF_USERS = defineStatement(
  'page-of-users',
  (value: Parameters<{ after: UserId }>) => inPages.where('u.id', '>', value('after')).orderBy('u.id'),
  { columns: USER_COLUMNS },
);

// Goes on with the next division. If it selected one, PostgreSQL might walk the ids of all users to find its members.
const PAGE_FROM_DIVISION = defineStatement(
  'page-from-division',
  (value: Parameters<{ after: UserId; divisionId: DivisionId }>) =>
    inPages
      .where(sql<boolean>`(u.division_id, u.id) > (${value('divisionId')}, ${value('after')})`)
      .orderBy('u.division_id')
      .orderBy('u.id'),
  { columns: USER_COLUMNS },
);

const selectUsers = ({ divisionId, dormantDays, words = [] }: UserSelection) => {
  let query = usersWithActivity.orderBy('u.username_key');
  if (divisionId !== undefined) query = query.where('u.division_id', '=', divisionId);
  for (const word of words) query = query.where(sql<boolean>`strpos(${sql.ref('u.search')}, ${word}) > 0`);
  if (dormantDays !== undefined) {
    query = query.where(sql<boolean>`${ACTIVE_OR_JOINED_ON} <= ${TODAY} - ${dormantDays}::int`);
  }
  return query.compile();
};

type ActivityRow = readonly [lastActiveOn: CalendarDate | null, ...user: UserRow];

const toActivity = ([lastActiveOn, ...user]: ActivityRow): UserActivity => ({ user: toUser(user), lastActiveOn });

/** Returns a user with the day of their last activity, or null if there is none with this id. */
export const findActivity = async (runner: Runner, id: UserId): Promise<UserActivity | null> => {
  const [row] = parseUuid(id) === id ? await FIND_USER_WITH_ACTIVITY.run(runner, { id }) : [];
  return row ? toActivity(row) : null;
};

/**
 * Makes the directory of users. Each call of `read` reads one snapshot with a cursor, on its own connection. `reader` may read a
 * replica, like lists.
 */
export const makeUserDirectory = (runner: Runner, reader: Runner, withClient: WithClient): UserDirectory => {
  const counts = makeFairQueue(COUNT_LIMITS, timers);
  return {
    find: (id) => findActivity(runner, id),

    page: async (divisionId, after) => {
      const from = { after: after ?? LOWEST_ID };
      if (divisionId === null) return (await PAGE_OF_USERS.run(runner, from)).map(toUser);
      const users = (await PAGE_FROM_DIVISION.run(runner, { ...from, divisionId })).map(toUser);
      return users.filter(({ division }) => division.id === divisionId);
    },

    read: (selection, receive) =>
      withClient(BEGIN_SNAPSHOT, async (client) => {
        const { parameters, sql: text } = selectUsers(selection);
        await client.query(`declare selected no scroll cursor for ${text}`, [...parameters]);
        for (;;) {
          const rows = await runOn<ActivityRow>(client, { text: `fetch ${USERS_PER_FETCH} from selected` }, []);
          if (rows.length > 0) await receive(rows.map(toActivity));
          if (rows.length < USERS_PER_FETCH) return;
        }
      }),

    count: (divisionId, query) => counts.run([divisionId], () => countMembers(reader, divisionId, query)),
  };
};
