import type { BulkRow, BulkUser, Database } from '@chapter/adapters-postgres';
import {
  type Clock,
  type Division,
  type DivisionId,
  type Instant,
  listQuery,
  MS_PER_DAY,
  NEW_USER_DEFAULTS,
  normalizePassword,
  OPERATOR,
  type PasswordHash,
  type PasswordHasher,
  type UserListField,
} from '@chapter/domain/api';
import type { Progress } from '../bulk/report.ts';
import { OperatorError } from '../errors/operator-error.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** First names of demo members, from many countries. */
export const FIRST_NAMES = words(`
  Aiko Amara Anders Anika Aylin Bao Beatriz Bruno Carmen Chidi Clara Daniel Dilan Elena Emil Fatima Finn Grace Hana Hugo
  Ines Ivan Jamal José Kemal Lars Leïla Łucja Mateo Mei Mira Nadia Nils Noor Núria Olga Omar Paula Priya Rafael Rosa Samir Sofia
  Tariq Tomás Uche Vera Viktor Yara Yusuf Zoë
`);

/** Last names of demo members. The numbers of first and last names are coprime, so that all pairs occur. */
export const LAST_NAMES = words(`
  Adeyemi Ahmed Andersson Aydın Bauer Bianchi Campbell Castro Chen Costa Cruz Dahl Diallo Dubois Eriksen Fernández Fischer
  García Haddad Hansen Hoffmann Ito Ivanova Jansen Jovanović Kaplan Khan Kim Kowalski Kumar Lehtonen Lopes Mbeki Moreau
  Müller Nagy Nakamura Nguyen Novák O'Brien Okafor Olsen Papadopoulos Patel Pereira Petrov Rossi Santos Schmidt Silva Singh
  Suzuki Tanaka Varga Wang Weber Yılmaz Zhang Zimmermann
`);

/** The ids continue with the member's number in 12 hexadecimal digits, so that the highest id shows how many exist. */
const ID_PREFIX = '019aa7c3-0000-7000-8000-';

const dateAfter = (start: string, days: number): Date => new Date(Date.parse(start) + days * MS_PER_DAY);

const pick = <T>(values: readonly T[], at: number): T => values[at % values.length] as T;

const asciiOf = (name: string): string =>
  name
    .replace('ı', 'i')
    .replace('Ł', 'L')
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

/** Returns the demo member with this number. All fields but the hash and the division depend only on the number. */
export const demoMember = (number: number, divisionId: DivisionId, passwordHash: PasswordHash): BulkUser => {
  const [firstName, lastName] = [pick(FIRST_NAMES, number), pick(LAST_NAMES, number)];
  const username = `${asciiOf(firstName)}.${asciiOf(lastName)}${number + 1}`;
  return {
    ...NEW_USER_DEFAULTS,
    id: `${ID_PREFIX}${number.toString(16).padStart(12, '0')}`,
    username,
    email: number % 13 === 5 ? null : `${username}@example.org`,
    firstName,
    lastName,
    divisionId,
    groups: number % 21 === 7 ? ['Guest', 'User'] : ['User'],
    birthdate:
      number % 11 === 3
        ? null
        : dateAfter('1945-01-01', (number * 7919) % 21_991)
            .toISOString()
            .slice(0, 10),
    isActive: number % 41 !== 11,
    dateJoined: dateAfter('2015-01-01', ((number * 104_729) % 379_999) / 100).toISOString(),
    passwordHash,
    passwordFollows: false,
  };
};

type DemoDataPorts = Pick<Database, 'divisions' | 'loadInBulk'> & {
  readonly hasher: Pick<PasswordHasher, 'hash'>;
  readonly clock: Clock;
};

const findDemoDivisions = async (divisions: Database['divisions']): Promise<readonly Division[]> => {
  const found: Division[] = [];
  for (const [name, id] of Object.entries(DEMO_IDS.divisions)) {
    // Release 0.1.0 gave its demo divisions other ids, so those are found by name.
    const filters = [{ field: 'name', operator: 'eq', value: name.toLowerCase() }] as const;
    const division = (await divisions.find(id)) ?? (await divisions.list(listQuery({ filters }))).items[0];
    if (division) found.push(division);
  }
  if (found.length > 0) return found;
  throw new OperatorError('There is no demo division (North or South) to add members to.');
};

/** Returns the number of the next demo member: one more than the highest number in these divisions. */
const nextNumber = async (users: Database['users'], divisions: readonly Division[]): Promise<number> => {
  const values = [`${ID_PREFIX}${'f'.repeat(12)}`];
  const position = { side: 'after', inclusive: true, values } as const;
  let next = 0;
  for (const { id } of divisions) {
    const [last] = (await users.list(id, listQuery<UserListField>({ order: ['-id'], size: 1, position }))).items;
    if (last?.id.startsWith(ID_PREFIX)) next = Math.max(next, Number.parseInt(last.id.slice(-12), 16) + 1);
  }
  return next;
};

/**
 * Adds `count` members with the demo password to the demo divisions in turn, in one transaction. Numbers continue after
 * those of earlier calls. Stores the demo data first if the database is empty. Returns their number by division name.
 *
 * @throws OperatorError if no demo division exists or a user has the name of a demo member; DomainError `unavailable`.
 */
export const addDemoMembers = async (
  ports: DemoDataPorts & Pick<Database, 'users'>,
  count: number,
  progress: Progress,
): Promise<Readonly<Record<string, number>>> => {
  await storeDemoData(ports);
  const divisions = await findDemoDivisions(ports.divisions);
  const first = await nextNumber(ports.users, divisions);
  const passwordHash = await ports.hasher.hash(normalizePassword(DEMO_PASSWORD));
  const divisionOf = (line: number): Division => pick(divisions, first + line);
  const member = (line: number): BulkUser => demoMember(first + line, divisionOf(line).id, passwordHash);
  const added = Object.fromEntries(divisions.map(({ name }) => [name, 0]));
  const rows = async function* (): AsyncGenerator<BulkRow<BulkUser>> {
    for (let line = 0; line < count; line++) {
      const { name } = divisionOf(line);
      added[name] = (added[name] ?? 0) + 1;
      yield { line, complete: true, values: member(line) };
    }
  };
  return ports.loadInBulk(OPERATOR, async (load) => {
    await load.stageUsers(rows());
    progress.begin('Storing', count);
    const plan = await load.plan();
    if ((await plan.store((stored) => progress.to(stored))) === null) {
      const [conflict] = (await load.findings('users', 1)).conflicts;
      const taken = conflict ? ` (${member(conflict.line).username})` : '';
      throw new OperatorError(`A user already has the name or email of a demo member${taken}; change that user first.`);
    }
    return added;
  });
};

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
  isSuperuser: fields.username === 'admin',
  dateJoined,
  passwordHash,
  passwordFollows: false,
});

async function* rowsOf<T>(values: readonly T[]): AsyncGenerator<BulkRow<T>> {
  for (const [index, value] of values.entries()) yield { line: index + 1, complete: true, values: value };
}

/**
 * Stores the demo divisions and accounts in one transaction, unless a division exists. Returns whether it stored them.
 * All accounts share one hash, because they share one documented password.
 *
 * @throws DomainError `unavailable`.
 */
export const storeDemoData = async ({ clock, divisions: stored, hasher, loadInBulk }: DemoDataPorts) => {
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
