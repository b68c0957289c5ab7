import { fieldsWith, userFields } from '@chapter/domain';
import type { Mapping } from './mapping.ts';

const inDivision = (column: string) => ['division_id', column, 'id'] as const;

/**
 * How each field of a user is stored. Written columns, list columns, the staging tables of bulk loads and the export derive
 * from it. The compiler compares `users/user-rows.ts`, which reads rows, with it.
 */
export const userMapping = {
  id: { column: 'id', key: null, isUnique: true, orderIndex: ['division_id', 'id'] },
  username: { column: 'username', key: 'username_key', isUnique: true, orderIndex: inDivision('username_key') },
  email: { column: 'email', key: 'email_key', isUnique: true, orderIndex: inDivision('email_key') },
  firstName: { column: 'first_name', key: 'first_name_key', isUnique: false, orderIndex: inDivision('first_name_key') },
  lastName: { column: 'last_name', key: 'last_name_key', isUnique: false, orderIndex: inDivision('last_name_key') },
  division: { column: 'division_id', key: null, isUnique: false, orderIndex: null },
  groups: { column: 'groups', key: null, isUnique: false, orderIndex: null },
  birthdate: { column: 'birthdate', key: null, isUnique: false, orderIndex: inDivision('birthdate') },
  isActive: { column: 'is_active', key: null, isUnique: false, orderIndex: null },
  isStaff: { column: 'is_staff', key: null, isUnique: false, orderIndex: null },
  isSuperuser: { column: 'is_superuser', key: null, isUnique: false, orderIndex: null },
  dateJoined: { column: 'date_joined', key: null, isUnique: false, orderIndex: inDivision('date_joined') },
} as const satisfies Mapping<typeof userFields>;

/** The columns that a list of users shows. The index of its pages includes them. */
export const LISTED_USER_COLUMNS: readonly string[] = fieldsWith(userFields, 'listed', true).map(
  (field) => userMapping[field].column,
);
