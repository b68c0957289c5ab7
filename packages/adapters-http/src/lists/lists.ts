import { divisionListFields, divisionUserListFields, userListFields } from '@chapter/domain';
import { defineList } from './list-parameters.ts';

/** The users of a division, with all fields. */
export const userList = defineList(userListFields, { orderedBy: 'dateJoined', filtered: true });

/** All divisions. */
export const divisionList = defineList(divisionListFields, { orderedBy: 'name', filtered: true });

/** The users of a division as anybody of it sees them. */
export const divisionUserList = defineList(divisionUserListFields, { orderedBy: 'username', filtered: false });
