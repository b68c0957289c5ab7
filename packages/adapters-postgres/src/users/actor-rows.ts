import type { Actor } from '@chapter/domain';
import type { Selectable } from 'kysely';
import type { Row } from '../connection/define-statement.ts';
import type { Tables } from '../schema/tables.ts';
import { toGroups } from './groups.ts';

/** The columns of a user that decide on their rights: an {@link ActorRow}. */
export const ACTOR_COLUMNS = [
  'id',
  'username',
  'division_id',
  'groups',
  'is_active',
  'is_staff',
  'is_superuser',
] as const;

/** A user's rights as {@link ACTOR_COLUMNS} come from the database. */
export type ActorRow = Row<Selectable<Tables['user_account']>, typeof ACTOR_COLUMNS>;

/** Returns the rights that a row holds. */
export const toActor = ([id, username, divisionId, groups, isActive, isStaff, isSuperuser]: ActorRow): Actor => ({
  id,
  username,
  divisionId,
  groups: toGroups(groups),
  isActive,
  isStaff,
  isSuperuser,
});
