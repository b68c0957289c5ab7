import type { BulkRow, BulkUser, Database } from '@chapter/adapters-postgres';
import {
  type Clock,
  type Division,
  type DivisionId,
  listQuery,
  NEW_USER_DEFAULTS,
  normalizePassword,
  OPERATOR,
  type PasswordHash,
  type PasswordHasher,
  type UserListField,
} from '@chapter/domain';
import type { Progress } from '../bulk/progress.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { DEMO_IDS, DEMO_PASSWORD, storeDemoData } from './demo-data.ts';
import { FIRST_NAMES, LAST_NAMES } from './demo-names.ts';

/** The ids continue with the member's number in 12 hexadecimal digits, so that the highest id shows how many exist. */
const ID_PREFIX = '019aa7c3-0000-7000-8000-';

const DAY_MS = 86_400_000;

const dateAfter = (start: string, days: number): Date => new Date(Date.parse(start) + days * DAY_MS);

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
    isStaff: false,
    isSuperuser: false,
    dateJoined: dateAfter('2015-01-01', ((number * 104_729) % 379_999) / 100).toISOString(),
    passwordHash,
    passwordFollows: false,
  };
};

type DemoMemberPorts = Pick<Database, 'divisions' | 'loadInBulk' | 'users'> & {
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
 * those of earlier calls. Stores the demo data first if the database is empty. Returns the added members by division name.
 *
 * @throws OperatorError if no demo division exists or a user has the name of a demo member; DomainError `unavailable`.
 */
export const addDemoMembers = async (
  ports: DemoMemberPorts,
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
