import {
  type CalendarDate,
  type CountQuery,
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
import type { ReadFrom } from '../lists/read-page.ts';
import { LISTED_INDEX_CONDITION } from '../schema/indexes.ts';
import { db } from '../schema/tables.ts';
import { toGroups, toUser, USER_COLUMNS, type UserRow, userSelection, usersWithDivision } from './user-rows.ts';

/**
 * The counts that run at once, in all and in one division. Each may take a connection and a processor for a while, so
 * that more would delay other requests.
 */
const COUNT_LIMITS = { maxRunning: 2, maxPerKey: [1], maxWaiting: 20 };

/** Maximum number of rows that one FETCH returns. */
export const USERS_PER_FETCH = 500;

/** The present day in UTC. */
export const TODAY = sql<CalendarDate>`(now() at time zone 'UTC')::date`;

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

/** SQL for the day (UTC) of the last login or refresh of the user `u` with the activity `a`, or else of joining. */
const ACTIVE_OR_JOINED_ON = sql<CalendarDate>`coalesce(${sql.ref('a.last_active_on')}, (${sql.ref('u.date_joined')} at time zone 'UTC')::date)`;

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

type Counted = CountQuery & { readonly divisionId: DivisionId };

const joinedAt = sql`${sql.ref('u.date_joined')} at time zone 'UTC'`;

/** Each member of a division, with the values by which they are counted. */
const membersOf = (value: Parameters<Counted>) =>
  db
    .selectFrom((eb) =>
      // An index has all columns of this condition and order.
      eb
        .selectFrom('user_account')
        .select(['id', 'groups', 'is_active', 'date_joined'])
        .where('division_id', '=', value('divisionId'))
        .where(sql.raw<boolean>(LISTED_INDEX_CONDITION))
        .orderBy('date_joined')
        .orderBy('id')
        .limit(value('limit'))
        .as('u'),
    )
    .leftJoinLateral(
      // The limit makes PostgreSQL look up each member. It could otherwise read the activity of all divisions.
      (eb) =>
        eb
          .selectFrom('user_activity')
          .select('last_active_on')
          .whereRef('user_id', '=', 'u.id')
          .limit(sql.lit(1))
          .as('a'),
      (join) => join.onTrue(),
    )
    .select([
      'u.groups',
      'u.is_active',
      sql<boolean>`${ACTIVE_OR_JOINED_ON} <= ${value('dormantOn')}::date`.as('is_dormant'),
      sql`case when ${joinedAt} >= ${value('joinedSince')}::date then date_trunc('month', ${joinedAt}) end`.as('month'),
    ]);

const COUNT_MEMBERS = defineStatement(
  'count-members',
  (value: Parameters<Counted>) =>
    db
      .selectFrom(membersOf(value).as('m'))
      .select(sql<number>`count(*)::int`.as('members'))
      .select(['m.groups', 'm.is_active', 'm.is_dormant'])
      .select(sql<string | null>`to_char(m.month, 'YYYY-MM')`.as('joined_in'))
      .groupBy(['m.groups', 'm.is_active', 'm.is_dormant', 'm.month']),
  { columns: ['members', 'groups', 'is_active', 'is_dormant', 'joined_in'] },
);

/** Counts the members of a division. */
export const countMembers = async (runner: Runner, divisionId: DivisionId, query: CountQuery) => {
  const rows = await COUNT_MEMBERS.run(runner, { ...query, divisionId });
  return rows.map(([members, groups, isActive, isDormant, joinedIn]) => ({
    members,
    groups: toGroups(groups),
    isActive,
    isDormant,
    joinedIn,
  }));
};

/** Makes the directory of users. Each call of `read` reads one snapshot with a cursor, on its own connection. */
export const makeUserDirectory = (runner: Runner, readFrom: ReadFrom, withClient: WithClient): UserDirectory => {
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

    count: (divisionId, query) =>
      counts.run([divisionId], () => readFrom(divisionId, (reader) => countMembers(reader, divisionId, query))),
  };
};
