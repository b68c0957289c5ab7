import type { DivisionId } from './division.ts';
import type { User, UserId } from './user.ts';

/** A target that lies in a division: the division itself, its list of users, or a user to be. */
export interface InDivision {
  readonly divisionId: DivisionId | null;
}

/** A user as a target. */
export interface UserTarget extends InDivision {
  readonly id: UserId;
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
}

/** A value about to be written to a field of a user. */
export interface FieldTarget extends UserTarget {
  readonly value: unknown;
}

/** A user as the policy sees them. */
export const asTarget = (user: User): UserTarget => ({
  id: user.id,
  divisionId: user.division.id,
  isStaff: user.isStaff,
  isSuperuser: user.isSuperuser,
});
