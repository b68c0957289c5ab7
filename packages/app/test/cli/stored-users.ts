import { DIVISIONS, NORTH, SOUTH, useBulk } from './in-bulk.ts';

const idOf = (digit: number): string => `0190a000-0000-7000-8000-00000000000${digit}`;

/** The stored users: Ada, the Leader of North, Bob in North, and Cal, the Leader of South. */
export const [ADA, BOB, CAL, UNKNOWN] = [idOf(1), idOf(2), idOf(3), idOf(9)] as const;

const USERS = `id,username,division_id,email,first_name,last_name,birthdate,groups,password
${ADA},ada,${NORTH},ada@example.org,Ada,Lovelace,1990-12-10,Leader;User,a long enough secret
${BOB},bob,${NORTH},bob@example.org,Bob,Stone,,User,
${CAL},cal,${SOUTH},cal@example.org,Cal,Reed,,Leader,another long secret
`;

interface Row {
  readonly username: string;
  readonly version: number;
}

/** An audit entry of an update. */
interface Entry {
  readonly action: string;
  readonly target_id: string;
  readonly changes: Readonly<Record<string, unknown>>;
}

/** The result of an update of users as JSON. */
export const counts = (created: number, changed: number, unchanged: number) => ({
  imported: true,
  divisions: { created: 0, changed: 0, unchanged: 0 },
  users: { created, changed, unchanged },
});

/** For a `describe`: gives each test the same divisions and users, each user with a session and a password link. */
export const useStoredUsers = () => {
  const bulk = useBulk();
  const { done, empty, file, sql } = bulk;
  beforeEach(async () => {
    await empty();
    const files = [await file('divisions.csv', DIVISIONS), await file('users.csv', USERS)] as const;
    await done('import', '--divisions', files[0], '--users', files[1]);
    await sql(`insert into session (id, user_id, started_at, expires_at)
      select gen_random_uuid(), id, now(), now() + interval '1 day' from user_account`);
    await sql(`insert into password_link (user_id, digest, division_id, is_staff, is_superuser, expires_at)
      select id, username, division_id, is_staff, is_superuser, now() + interval '1 day' from user_account`);
  });
  const holdersOf = async (table: 'session' | 'password_link'): Promise<readonly string[]> =>
    (await sql<{ user_id: string }>(`select user_id from ${table} order by user_id`)).map(({ user_id }) => user_id);
  return {
    ...bulk,
    update: async (csv: string, ...options: readonly string[]) =>
      done('import', '--update', '--users', await file('update.csv', csv), ...options),
    users: (columns: string, condition = 'true') =>
      sql<Row>(`select username, version, ${columns} from user_account where ${condition} order by id`),
    audited: () =>
      sql<Entry>(
        `select action, target_id, changes from audit_entry where action not like 'create%' order by target_id`,
      ),
    /** The ids of the users with a session. */
    sessions: () => holdersOf('session'),
    /** The ids of the users with a password link. */
    links: () => holdersOf('password_link'),
  };
};
