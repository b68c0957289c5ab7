import type { Division, User } from '@chapter/domain';
import { snakeCased } from '../text/snake-case.ts';

/** Returns a division as the API represents it. */
export const divisionJson = ({ fanpage, id, logo, name }: Division) => ({ id, name, logo, fanpage });

/** Returns a user as the API represents it to a Leader. */
export const userJson = (stored: User): Readonly<Record<string, unknown>> => {
  const { id, username, email, firstName, lastName, division, groups, birthdate, isActive, ...flags } = stored;
  const { isStaff, isSuperuser, dateJoined } = flags;
  const user = { id, username, email, firstName, lastName, division, groups, birthdate, isActive };
  return snakeCased({ ...user, isStaff, isSuperuser, dateJoined }) as Readonly<Record<string, unknown>>;
};
