import type { DivisionId } from '../model/division.ts';
import type { CalendarDate, Group, User, UserId } from '../model/user.ts';

/** A user with the day of their last login or refresh. */
export interface UserActivity {
  readonly user: User;
  /** A day in UTC; null if no login or refresh is known. Not part of the user: it does not affect the revision. */
  readonly lastActiveOn: CalendarDate | null;
}

/** Which users to read; an absent property does not restrict. */
export interface UserSelection {
  readonly divisionId?: DivisionId;
  /** Words as `readSearch` returns them, each of which must occur in a searched field. */
  readonly words?: readonly string[];
  /**
   * Users whose last login or refresh was at least this number of calendar days (UTC) ago by the clock of the adapter.
   * For users without one, the day they joined counts instead.
   */
  readonly dormantDays?: number;
}

/** The most users that one call of {@link UserDirectory.page} returns. */
export const DIRECTORY_PAGE_SIZE = 100;

/** What a count of members distinguishes. */
export interface CountQuery {
  /** Members who joined on this day (UTC) or later are counted by month. */
  readonly joinedSince: CalendarDate;
  /** Members whose last login or refresh was on this day or earlier are dormant; without one, the day they joined counts. */
  readonly dormantOn: CalendarDate;
  /** The most members to count, those who joined first; null for all. */
  readonly limit: number | null;
}

/** A number of members of a division who have these values in common. */
export interface MemberCount {
  /** The number of these members. */
  readonly members: number;
  readonly groups: readonly Group[];
  /** Whether they may log in. */
  readonly isActive: boolean;
  /** Whether they are dormant by the query. */
  readonly isDormant: boolean;
  /** The month (UTC, `YYYY-MM`) in which they joined; null before `joinedSince`. */
  readonly joinedIn: string | null;
}

/** Reads users with the days of their last login or refresh, for the operator and services that ask about rights. */
export interface UserDirectory {
  /** Returns a user, or null if there is none. */
  find(id: UserId): Promise<UserActivity | null>;

  /**
   * Returns the first {@link DIRECTORY_PAGE_SIZE} users whose ids are greater than `after`, by id, of one division or, if it is
   * null, of all. `after` is a UUID; null for the start. The effort does not depend on the number of other users.
   */
  page(divisionId: DivisionId | null, after: UserId | null): Promise<readonly User[]>;

  /**
   * Passes the selected users to `receive` in batches, ordered by username, all from one state of the store. Waits for
   * `receive` before it reads the next batch, so that few users are in memory at once.
   *
   * @throws errors thrown by `receive`.
   */
  read(selection: UserSelection, receive: (batch: readonly UserActivity[]) => Promise<void>): Promise<void>;

  /** Counts the members of a division. Each member is in one of the counts; several may have the same values. */
  count(divisionId: DivisionId, query: CountQuery): Promise<readonly MemberCount[]>;
}
