import { DIVISION_FIELDS, type Division, pick, USER_FIELDS, type User, type UserActivity } from '@chapter/domain';
import { snakeCased } from '../text/snake-case.ts';

/** Returns a division as the API represents it. */
export const divisionJson = (division: Division) => pick(division, DIVISION_FIELDS);

/** Returns a user as the API represents it to a Leader. */
export const userJson = (user: User): Readonly<Record<string, unknown>> =>
  snakeCased(pick(user, USER_FIELDS)) as Readonly<Record<string, unknown>>;

/** Returns a user with the day of their last login or refresh. */
export const activityJson = ({ lastActiveOn, user }: UserActivity): Readonly<Record<string, unknown>> => ({
  ...userJson(user),
  last_active_on: lastActiveOn,
});
