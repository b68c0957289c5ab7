import type { ListedUser, UserListField } from '../../lists/list-fields.ts';
import type { User } from '../../model/user.ts';
import { aDivision, aUser } from '../builders/builders.ts';
import { storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import type { TestedList } from './list-walk.ts';

/** The instants at which the users joined. */
export const JOINED = ['2026-01-01T10:00:00.001Z', '2026-01-01T10:00:00.002Z', '2026-01-03T00:00:00.000Z'] as const;

/** Users by letter, in the order of their ids. Their values include those that are hard to compare. */
const people: Readonly<Record<string, Partial<User>>> = {
  a: {
    username: 'Ada',
    firstName: 'Zoë',
    lastName: "O'Neil",
    groups: ['Leader'],
    birthdate: '1990-05-05',
    isStaff: true,
    dateJoined: JOINED[2],
  },
  b: { username: 'bea_1', email: 'B@x.org', lastName: 'ähre', groups: ['User'], dateJoined: JOINED[0] },
  c: {
    username: 'C+d',
    email: 'a%b@x.org',
    firstName: 'zoë',
    lastName: 'Zebra',
    groups: ['Leader', 'User'],
    birthdate: '1990-05-05',
    isActive: false,
    isSuperuser: true,
    dateJoined: JOINED[1],
  },
  d: {
    username: 'dora',
    firstName: 'ΟΔΥΣΣΕΎΣ',
    lastName: '\u{1f600}',
    groups: [],
    birthdate: '1985-12-31',
    isStaff: true,
    isSuperuser: true,
    dateJoined: JOINED[2],
  },
  e: {
    username: 'eve.x',
    email: 'Z@x.org',
    firstName: 'a_b%c\\d',
    lastName: '\uff5e',
    groups: ['Guest', 'User'],
    isActive: false,
    dateJoined: JOINED[1],
  },
  f: {
    username: 'F@x.org',
    email: 'aab@x.org',
    firstName: 'abXc',
    lastName: 'zebra',
    groups: ['Leader', 'Guest', 'User'],
    birthdate: '2001-02-28',
    dateJoined: JOINED[0],
  },
};

/** Stores the users in one division, and a copy of each in a second division, with another username and no email. */
export const populate = async (world: World) => {
  const [division, other] = [aDivision(), aDivision()];
  const ids: Record<string, string> = {};
  for (const [letter, values] of Object.entries(people)) {
    const { id } = await storeUser(world, aUser().of(division).with(values));
    const { username, email: _, ...same } = values;
    await storeUser(
      world,
      aUser()
        .of(other)
        .with({ ...same, username: `${username}.2` }),
    );
    ids[letter] = id;
  }
  const letterOf = ({ id }: Pick<User, 'id'>) => Object.keys(ids).find((letter) => ids[letter] === id) ?? '?';
  const tested: TestedList<ListedUser, UserListField> = {
    list: (query) => world.users.list(division.id, query),
    letterOf,
  };
  return { ...tested, division, other, idOf: (letter: string) => ids[letter] ?? '' };
};
