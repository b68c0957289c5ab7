import type { DivisionId } from '../model/division.ts';
import { isUuid, type User, type UserId } from '../model/user.ts';

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

/** Copies what rules read of a target in a division; null for a value that is none. */
export const readInDivision = (value: unknown): InDivision | null => {
  if (typeof value !== 'object' || value === null) return null;
  const { divisionId } = value as Partial<InDivision>;
  return divisionId === null || isUuid(divisionId) ? { divisionId } : null;
};

/** Copies what rules read of a user; null for a value that is none. */
export const readUserTarget = (value: unknown): UserTarget | null => {
  const place = readInDivision(value);
  if (!place) return null;
  const { id, isStaff, isSuperuser } = value as Partial<UserTarget>;
  if (!isUuid(id) || typeof isStaff !== 'boolean' || typeof isSuperuser !== 'boolean') return null;
  return { ...place, id, isStaff, isSuperuser };
};

/** The service itself has no properties: any value but null and undefined is that target. */
export const readService = (value: unknown): object | null => (value === null || value === undefined ? null : {});
