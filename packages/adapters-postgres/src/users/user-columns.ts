import { foldCase, type User } from '@chapter/domain';

/** The columns of a user that a creation and every change write. */
export const WRITTEN_COLUMNS = [
  'username',
  'username_key',
  'email',
  'email_key',
  'first_name',
  'first_name_key',
  'last_name',
  'last_name_key',
  'groups',
  'birthdate',
  'is_active',
  'is_staff',
  'is_superuser',
] as const;

type Written = Pick<
  User,
  'username' | 'email' | 'firstName' | 'lastName' | 'groups' | 'birthdate' | 'isActive' | 'isStaff' | 'isSuperuser'
>;

/** Returns what is written of a user: the fields, and their keys in the form in which they are compared. */
export const userColumns = (user: Written) =>
  ({
    username: user.username,
    username_key: foldCase(user.username),
    email: user.email,
    email_key: user.email === null ? null : foldCase(user.email),
    first_name: user.firstName,
    first_name_key: foldCase(user.firstName),
    last_name: user.lastName,
    last_name_key: foldCase(user.lastName),
    groups: [...user.groups],
    birthdate: user.birthdate,
    is_active: user.isActive,
    is_staff: user.isStaff,
    is_superuser: user.isSuperuser,
  }) satisfies Record<(typeof WRITTEN_COLUMNS)[number], unknown>;

/** The values of {@link WRITTEN_COLUMNS}. */
export type UserColumns = ReturnType<typeof userColumns>;
