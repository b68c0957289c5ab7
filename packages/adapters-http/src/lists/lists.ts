import { divisionListFields, divisionUserListFields, userListFields } from '@chapter/domain';
import { defineListParameters } from './list-parameters.ts';

/** The users of a division, with all fields. */
export const userListParameters = defineListParameters(userListFields, { orderedBy: 'dateJoined', filtered: true });

/** All divisions. */
export const divisionListParameters = defineListParameters(divisionListFields, { orderedBy: 'name', filtered: true });

/** The users of a division as anybody of it sees them. */
export const divisionUserListParameters = defineListParameters(divisionUserListFields, {
  orderedBy: 'username',
  filtered: false,
});
