import { fieldsWith } from '../../fields/field-table.ts';
import { userFields } from '../../fields/user-fields.ts';
import { MS_PER_DAY } from '../../model/dates.ts';
import { foldCase } from '../../model/text.ts';
import type { Instant, User } from '../../model/user.ts';
import { DIRECTORY_PAGE_SIZE, type UserActivity, type UserDirectory } from '../../ports/user-directory.ts';
import { membersOf, type Store, type StoredUser, userOf } from './store.ts';

/** Small, so that tests with few users need several batches. */
const USERS_PER_BATCH = 2;

const SEARCHED_FIELDS = fieldsWith(userFields, 'searched', true);

const contains = (user: User, word: string): boolean =>
  SEARCHED_FIELDS.some((field) => foldCase(user[field] ?? '').includes(word));

const dayOf = (instant: Instant): number => Math.floor(Date.parse(instant) / MS_PER_DAY);

/** Returns an in-memory user directory. */
export const makeInMemoryDirectory = (store: Store): UserDirectory => {
  const activityOf = (stored: StoredUser): UserActivity => ({
    user: userOf(store, stored),
    lastActiveOn: store.activity.get(stored.id) ?? null,
  });
  const daysDormant = ({ lastActiveOn, user }: UserActivity): number =>
    dayOf(store.clock.now()) - dayOf(lastActiveOn ?? user.dateJoined);
  return {
    find: async (id) => {
      const stored = store.users.get(id);
      return stored ? activityOf(stored) : null;
    },

    page: async (divisionId, after) =>
      [...store.users.values()]
        .filter((stored) => (divisionId === null || stored.divisionId === divisionId) && stored.id > (after ?? ''))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
        .slice(0, DIRECTORY_PAGE_SIZE)
        .map((stored) => userOf(store, stored)),

    read: async ({ divisionId, words = [], dormantDays }, receive) => {
      const selected = [...store.users.values()]
        .filter((stored) => divisionId === undefined || stored.divisionId === divisionId)
        .map(activityOf)
        .filter(({ user }) => words.every((word) => contains(user, word)))
        .filter((activity) => dormantDays === undefined || daysDormant(activity) >= dormantDays)
        .toSorted((one, other) => (foldCase(one.user.username) < foldCase(other.user.username) ? -1 : 1));
      for (let at = 0; at < selected.length; at += USERS_PER_BATCH)
        await receive(selected.slice(at, at + USERS_PER_BATCH));
    },

    count: async (divisionId, { joinedSince, dormantOn, limit }) =>
      membersOf(store, divisionId)
        .toSorted((one, other) => (one.dateJoined < other.dateJoined ? -1 : 1))
        .slice(0, limit ?? undefined)
        .map(({ id, dateJoined, groups, isActive }) => ({
          members: 1,
          groups,
          isActive,
          isDormant: (store.activity.get(id) ?? dateJoined.slice(0, 10)) <= dormantOn,
          joinedIn: dateJoined.slice(0, 10) >= joinedSince ? dateJoined.slice(0, 7) : null,
        })),
  };
};
