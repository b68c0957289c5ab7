import type { DivisionId, DivisionReference } from './division.ts';
import type { Group } from './group.ts';
import type { Revision } from './revision.ts';

/** Identifier of a user: a UUID (version 7) in lower case. */
export type UserId = string;

/** A day: `YYYY-MM-DD` (ISO 8601). */
export type CalendarDate = string;

/** A moment in UTC with milliseconds: `YYYY-MM-DDTHH:MM:SS.sssZ` (ISO 8601), so that text order is time order. */
export type Instant = string;

/** A member of the chapter. Specification, section 2; field rules in {@link userRules}. Passwords are never part of it. */
export interface User {
  readonly id: UserId;
  /** The login name: unique without regard to case. */
  readonly username: string;
  /** Unique without regard to case, or null. */
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  /** The one division that the user belongs to. */
  readonly division: DivisionReference;
  /** Without duplicates, in the order of `GROUPS`; may be empty. */
  readonly groups: readonly Group[];
  readonly birthdate: CalendarDate | null;
  /** False: cannot log in, and tokens issued before stop working. */
  readonly isActive: boolean;
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
  readonly dateJoined: Instant;
  /** Changes with every change of the user, shown or not, and of the division's name. */
  readonly revision: Revision;
}

/** A user as a creation stores it: the service adds the revision and the division's name. */
export interface NewUser extends Omit<User, 'division' | 'revision'> {
  readonly divisionId: DivisionId;
  /** The stored form of the password, or null: cannot log in until one is set. */
  readonly passwordHash: PasswordHash | null;
}

/** A password as it is stored: the base64 of a scrypt-kdf hash with its parameters and salt. Never shown, never logged. */
export type PasswordHash = string;

/** An Administrator is staff or superuser; it is not a group. Specification, section 5. */
export const isAdministrator = (user: Pick<User, 'isStaff' | 'isSuperuser'>): boolean =>
  user.isStaff || user.isSuperuser;

/** Whether a user keeps their division led: an active Leader. A division never loses its last one. Contract, section 3. */
export const isActiveLeader = (user: Pick<User, 'isActive' | 'groups'>): boolean =>
  user.isActive && user.groups.includes('Leader');
