import type { BulkRow, BulkUser, Database } from '@chapter/adapters-postgres';
import {
  type Clock,
  type Instant,
  listQuery,
  NEW_USER_DEFAULTS,
  normalizePassword,
  OPERATOR,
  type PasswordHash,
  type PasswordHasher,
} from '@chapter/domain';

/** The password of every demo account. */
export const DEMO_PASSWORD = 'chapter-demo';

/** The ids of the demo data: the same in every new database, so that documentation can show requests that work. */
export const DEMO_IDS = {
  divisions: {
    North: '019aa7c2-7f31-7c6e-8a44-3f6d1d0b5e01',
    South: '019aa7c2-7f31-7c6e-8a44-3f6d1d0b5e02',
  },
  users: {
    leader: '019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7a8',
    guest: '019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7a9',
    user: '019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7aa',
    admin: '019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7ab',
    'leader.south': '019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7ac',
  },
} as const;

const { divisions: DIVISION_IDS, users: USER_IDS } = DEMO_IDS;

const DEMO_DIVISIONS = [
  {
    id: DIVISION_IDS.North,
    name: 'North',
    logo: 'https://example.org/north.png',
    fanpage: 'https://example.org/north',
  },
  { id: DIVISION_IDS.South, name: 'South', logo: null, fanpage: null },
] as const;

const ACCOUNTS = [
  { username: 'leader', division: 'North', groups: ['Leader'], firstName: 'Lea', lastName: 'Lind' },
  { username: 'guest', division: 'North', groups: ['Guest'], firstName: 'Gus', lastName: 'Gray' },
  { username: 'user', division: 'North', groups: ['User'], firstName: 'Uma', lastName: 'Ude' },
  { username: 'admin', division: 'North', groups: ['User'], firstName: 'Ada', lastName: 'Amin' },
  { username: 'leader.south', division: 'South', groups: ['Leader'], firstName: 'Sol', lastName: 'Sand' },
] as const;

/** The login names of the demo accounts. */
export const DEMO_USERNAMES = ACCOUNTS.map(({ username }) => username);

const demoUser = (
  { division, ...fields }: (typeof ACCOUNTS)[number],
  dateJoined: Instant,
  passwordHash: PasswordHash,
): BulkUser => ({
  ...NEW_USER_DEFAULTS,
  ...fields,
  id: USER_IDS[fields.username],
  email: `${fields.username}@example.org`,
  divisionId: DIVISION_IDS[division],
  isStaff: false,
  isSuperuser: fields.username === 'admin',
  dateJoined,
  passwordHash,
  passwordFollows: false,
});

type DemoDataPorts = Pick<Database, 'divisions' | 'loadInBulk'> & {
  readonly hasher: Pick<PasswordHasher, 'hash'>;
  readonly clock: Clock;
};

async function* rowsOf<T>(values: readonly T[]): AsyncGenerator<BulkRow<T>> {
  for (const [index, value] of values.entries()) yield { line: index + 1, complete: true, values: value };
}

/**
 * Stores the demo divisions and accounts in one transaction, unless a division exists. Returns whether it stored them. All
 * accounts share one hash, because they share one documented password.
 *
 * @throws DomainError `unavailable`.
 */
export const storeDemoData = async ({
  clock,
  divisions: stored,
  hasher,
  loadInBulk,
}: DemoDataPorts): Promise<boolean> => {
  if ((await stored.list(listQuery({ order: ['name'], size: 1 }))).items.length > 0) return false;
  const passwordHash = await hasher.hash(normalizePassword(DEMO_PASSWORD));
  const users = ACCOUNTS.map((account) => demoUser(account, clock.now(), passwordHash));
  return loadInBulk(OPERATOR, async (load) => {
    await load.stageDivisions(rowsOf(DEMO_DIVISIONS));
    await load.stageUsers(rowsOf(users));
    // Null if another starting process has stored them first.
    return (await (await load.plan()).store(() => {})) !== null;
  });
};
