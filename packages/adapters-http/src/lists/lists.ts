import { divisionListFields, divisionUserListFields, userListFields } from '@chapter/domain';
import { defineListParameters } from './list-parameters.ts';

/** The parameters of the list of users with all fields. */
export const userListParameters = defineListParameters(userListFields, {
  defaultField: 'dateJoined',
  hasFilters: true,
});

/** The parameters of the list of all divisions. */
export const divisionListParameters = defineListParameters(divisionListFields, {
  defaultField: 'name',
  hasFilters: true,
});

/** The parameters of the list of a division's users with id and username. */
export const divisionUserListParameters = defineListParameters(divisionUserListFields, {
  defaultField: 'username',
  hasFilters: false,
});
