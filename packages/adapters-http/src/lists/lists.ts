import { divisionListFields, divisionUserListFields, userListFields } from '@chapter/domain';
import { defineListParameters } from './list-parameters.ts';

/** The parameters of the list of users with all fields. */
export const userListParameters = defineListParameters(userListFields, { orderedBy: 'dateJoined', filtered: true });

/** The parameters of the list of all divisions. */
export const divisionListParameters = defineListParameters(divisionListFields, { orderedBy: 'name', filtered: true });

/** The parameters of the list of a division's users with id and username. */
export const divisionUserListParameters = defineListParameters(divisionUserListFields, {
  orderedBy: 'username',
  filtered: false,
});
