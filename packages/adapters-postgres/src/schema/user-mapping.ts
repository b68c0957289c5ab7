import type { userFields } from '@chapter/domain';
import type { Mapping } from './mapping.ts';

/**
 * How each field of a user is stored. Written columns, list columns, the staging tables of bulk loads and the export derive
 * from it, and so do the names of the columns that are read. Their order and conversion are in `users/user-rows.ts`, because
 * one expression per row is faster than a loop over this table; the compiler checks their types.
 */
export const userMapping = {
  id: { column: 'id', key: null, isUnique: true },
  username: { column: 'username', key: 'username_key', isUnique: true },
  email: { column: 'email', key: 'email_key', isUnique: true },
  firstName: { column: 'first_name', key: 'first_name_key', isUnique: false },
  lastName: { column: 'last_name', key: 'last_name_key', isUnique: false },
  division: { column: 'division_id', key: null, isUnique: false },
  groups: { column: 'groups', key: null, isUnique: false },
  birthdate: { column: 'birthdate', key: null, isUnique: false },
  isActive: { column: 'is_active', key: null, isUnique: false },
  isStaff: { column: 'is_staff', key: null, isUnique: false },
  isSuperuser: { column: 'is_superuser', key: null, isUnique: false },
  dateJoined: { column: 'date_joined', key: null, isUnique: false },
} as const satisfies Mapping<typeof userFields>;
