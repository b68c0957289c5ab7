import { foldCase, type User } from '@chapter/domain';

/** What is written of a user when it is changed: the fields, and their keys in the form in which they are compared. */
export const userColumns = (
  user: Pick<
    User,
    'username' | 'email' | 'firstName' | 'lastName' | 'groups' | 'birthdate' | 'isActive' | 'isStaff' | 'isSuperuser'
  >,
) => ({
  username: user.username,
  usernameKey: foldCase(user.username),
  email: user.email,
  emailKey: user.email === null ? null : foldCase(user.email),
  firstName: user.firstName,
  firstNameKey: foldCase(user.firstName),
  lastName: user.lastName,
  lastNameKey: foldCase(user.lastName),
  groups: [...user.groups],
  birthdate: user.birthdate,
  isActive: user.isActive,
  isStaff: user.isStaff,
  isSuperuser: user.isSuperuser,
});

/** What the columns of {@link userColumns} are called in the database. */
export const userColumnNames: Readonly<Record<keyof ReturnType<typeof userColumns>, string>> = {
  username: 'username',
  usernameKey: 'username_key',
  email: 'email',
  emailKey: 'email_key',
  firstName: 'first_name',
  firstNameKey: 'first_name_key',
  lastName: 'last_name',
  lastNameKey: 'last_name_key',
  groups: 'groups',
  birthdate: 'birthdate',
  isActive: 'is_active',
  isStaff: 'is_staff',
  isSuperuser: 'is_superuser',
};
