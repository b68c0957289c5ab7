import type { CalendarDate, CountQuery, DivisionId, MemberCount } from '@chapter/domain/ports';
import { sql } from 'kysely';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { LISTED_INDEX_CONDITION } from '../schema/indexes.ts';
import { db } from '../schema/tables.ts';
import { toGroups } from './user-rows.ts';

/** SQL for the day (UTC) of the last login or refresh of the user `u` with the activity `a`, or else of joining. */
export const ACTIVE_OR_JOINED_ON = sql<CalendarDate>`coalesce(${sql.ref('a.last_active_on')}, (${sql.ref('u.date_joined')} at time zone 'UTC')::date)`;

type Values = CountQuery & { readonly divisionId: DivisionId };

const joinedAt = sql`${sql.ref('u.date_joined')} at time zone 'UTC'`;

/** Each member of a division, with the values by which they are counted. */
const membersOf = (value: Parameters<Values>) =>
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
  (value: Parameters<Values>) =>
    db
      .selectFrom(membersOf(value).as('m'))
      .select(sql<number>`count(*)::int`.as('members'))
      .select(['m.groups', 'm.is_active', 'm.is_dormant'])
      .select(sql<string | null>`to_char(m.month, 'YYYY-MM')`.as('joined_in'))
      .groupBy(['m.groups', 'm.is_active', 'm.is_dormant', 'm.month']),
  { columns: ['members', 'groups', 'is_active', 'is_dormant', 'joined_in'] },
);

/** Counts the members of a division. */
export const countMembers = async (
  runner: Runner,
  divisionId: DivisionId,
  query: CountQuery,
): Promise<readonly MemberCount[]> => {
  const rows = await COUNT_MEMBERS.run(runner, { ...query, divisionId });
  return rows.map(([members, groups, isActive, isDormant, joinedIn]) => ({
    members,
    groups: toGroups(groups),
    isActive,
    isDormant,
    joinedIn,
  }));
};
