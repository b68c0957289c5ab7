/** The columns of `user_account` that a list of users shows. The index of its pages includes them. */
export const LISTED_USER_COLUMNS = [
  'id',
  'username',
  'email',
  'first_name',
  'last_name',
  'groups',
  'birthdate',
  'is_active',
  'is_staff',
  'is_superuser',
  'date_joined',
] as const;
