import type { BulkRow, Database } from '@chapter/adapters-postgres';
import {
  type Clock,
  type IdGenerator,
  listQuery,
  NEW_USER_DEFAULTS,
  normalizePassword,
  OPERATOR,
  type PasswordHash,
  type PasswordHasher,
} from '@chapter/domain';

/** The password of every demo account. */
export const DEMO_PASSWORD = 'chapter-demo';

/** An account of the demo data. */
export interface DemoAccount {
  readonly username: string;
  /** What the account can be used to see, in words. */
  readonly role: string;
}

const DIVISIONS = [
  { name: 'North', logo: 'https://example.org/north.png', fanpage: 'https://example.org/north' },
  { name: 'South', logo: null, fanpage: null },
] as const;

const ACCOUNTS = [
  { username: 'leader', division: 0, groups: ['Leader'], firstName: 'Lea', lastName: 'Lind', role: 'Leader of North' },
  { username: 'guest', division: 0, groups: ['Guest'], firstName: 'Gus', lastName: 'Gray', role: 'Guest of North' },
  { username: 'user', division: 0, groups: ['User'], firstName: 'Uma', lastName: 'Ude', role: 'User of North' },
  { username: 'admin', division: 0, groups: ['User'], firstName: 'Ada', lastName: 'Amin', role: 'Administrator' },
  {
    username: 'leader.south',
    division: 1,
    groups: ['Leader'],
    firstName: 'Sol',
    lastName: 'Sand',
    role: 'Leader of South',
  },
] as const;

/** The login names of the demo accounts. */
export const DEMO_USERNAMES = ACCOUNTS.map(({ username }) => username);

/** What {@link storeDemoData} needs. */
type DemoDataPorts = Pick<Database, 'divisions' | 'loadInBulk'> & {
  readonly hasher: PasswordHasher;
  readonly ids: IdGenerator;
  readonly clock: Clock;
};

async function* rowsOf<T>(values: readonly T[]): AsyncGenerator<BulkRow<T>> {
  for (const [index, value] of values.entries()) yield { line: index + 1, complete: true, values: value };
}

/**
 * Stores two divisions and an account for every role in one transaction, unless there is a division already: then it
 * does nothing and returns no accounts.
 *
 * @throws DomainError `unavailable`.
 */
export const storeDemoData = async ({
  clock,
  divisions: stored,
  hasher,
  ids,
  loadInBulk,
}: DemoDataPorts): Promise<readonly DemoAccount[]> => {
  if ((await stored.list(listQuery({ order: ['name'], size: 1 }))).items.length > 0) return [];
  const divisions = DIVISIONS.map(({ name, logo, fanpage }) => ({ id: ids.next(), name, logo, fanpage }));
  const hashes: PasswordHash[] = [];
  // One after another: on a slow machine, hashes that wait for each other would be refused.
  for (const _ of ACCOUNTS) hashes.push(await hasher.hash(normalizePassword(DEMO_PASSWORD)));
  const users = ACCOUNTS.map(({ division, role, ...fields }, index) => ({
    ...NEW_USER_DEFAULTS,
    ...fields,
    id: ids.next(),
    email: `${fields.username}@example.org`,
    divisionId: divisions[division]?.id ?? '',
    isStaff: false,
    isSuperuser: role === 'Administrator',
    dateJoined: clock.now(),
    passwordHash: hashes[index] ?? null,
    passwordFollows: false,
  }));
  return loadInBulk(OPERATOR, async (load) => {
    await load.stageDivisions(rowsOf(divisions));
    await load.stageUsers(rowsOf(users));
    // Nothing is stored where another process that starts has been faster.
    return (await load.store(() => {})) ? ACCOUNTS : [];
  });
};
