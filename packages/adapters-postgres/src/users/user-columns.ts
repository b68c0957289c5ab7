import { CHANGEABLE_USER_FIELDS, type User } from '@chapter/domain';
import { type WrittenValues, writtenColumns, writtenValues } from '../schema/mapping.ts';
import { userMapping } from '../schema/user-mapping.ts';

type WrittenField = (typeof CHANGEABLE_USER_FIELDS)[number];

/** The columns of a user that a creation and every change write. */
export const WRITTEN_COLUMNS = writtenColumns(userMapping, CHANGEABLE_USER_FIELDS);

/** The values of {@link WRITTEN_COLUMNS}. */
export type UserColumns = WrittenValues<typeof userMapping, WrittenField, User>;

/** Returns what is written of a user: the fields, and their keys in the form in which they are compared. */
export const userColumns = (user: Pick<User, WrittenField>): UserColumns =>
  writtenValues<typeof userMapping, User, WrittenField>(userMapping, CHANGEABLE_USER_FIELDS, user);
