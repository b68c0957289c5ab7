import type { Author, Clock, IdGenerator } from '@chapter/domain/ports';
import type { Client } from 'pg';
import type { WithClient } from '../connection/unpooled-clients.ts';
import type {
  BulkDivision,
  BulkFile,
  BulkFindings,
  BulkPassword,
  BulkPlan,
  BulkRow,
  BulkUser,
  MissingUser,
  PlannedRows,
} from './bulk-load.ts';
import { divisionNames, findConflicts, plannedNames, rejectUsers, resolveDivisions } from './conflicts.ts';
import { type GivenColumns, matchStaged } from './match.ts';
import { DEACTIVATION, planMissing, readMissing, stageMissing } from './missing.ts';
import { createStaged, type Staged, SUBJECTS, stageDivisions, stageUsers } from './staging.ts';
import { findLeaderless, storePlanned } from './store.ts';

const PASSWORDS = 'create temporary table bulk_password (line int not null, password_hash text) on commit drop';

/**
 * Cancels a running statement within a second after its client disconnects: building an index can take minutes, and its
 * locks block other clients. Servers on operating systems without support reject the setting; that error is ignored.
 */
const DETECT_LOST_CLIENT = `do $$ begin
    perform set_config('client_connection_check_interval', '1s', true);
  exception when invalid_parameter_value then null;
  end $$`;

/** Counts the staged rows of a file by what the load does with them. */
const countPlanned = async (client: Client, file: BulkFile): Promise<PlannedRows> => {
  const { rows } = await client.query<PlannedRows>(
    `select count(*) filter (where action = 'create')::int as created,
            count(*) filter (where action = 'change')::int as changed,
            count(*) filter (where action = 'unchanged')::int as unchanged from ${SUBJECTS[file].staged}`,
  );
  return rows[0] ?? { created: 0, changed: 0, unchanged: 0 };
};

interface LoadOptions {
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Makes the operations of a load on its connection. `onStored` is called after a plan has been stored. */
const makeLoad = (client: Client, author: Author, { clock, ids }: LoadOptions, onStored: () => void) => {
  const given: { [Rows in Staged]?: GivenColumns } = {};
  return {
    stageDivisions: (rows: AsyncIterable<BulkRow<BulkDivision>>): Promise<void> => stageDivisions(client, ids, rows),
    stageUsers: (rows: AsyncIterable<BulkRow<BulkUser>>): Promise<void> => stageUsers(client, ids, rows),
    /** Supplies the hashes of staged users. Passwords are hashed last, because hashing is slow and the files may be invalid. */
    stagePasswords: async (passwords: AsyncIterable<BulkPassword>): Promise<void> => {
      // Hashing takes long. Between these statements the transaction is idle, so the database ends it if the process is stopped.
      for await (const { line, passwordHash } of passwords) {
        await client.query('insert into bulk_password values ($1, $2)', [line, passwordHash]);
      }
    },
    /**
     * Finds the divisions of the staged users who have only the name of one. A name is compared case-folded with those that divisions
     * have after the load: of a stored division that the load renames, only the new name counts.
     */
    resolveDivisions: () => resolveDivisions(client),
    /** Returns the names that divisions have after the load, at most 10,000. */
    divisionNames: () => divisionNames(client),
    /**
     * Matches the staged rows of a file with stored ones: by id, or by name if the row has no id. Matched rows will change
     * their stored row, other rows are new; without this call, all rows are new. Fields whose column is not among the
     * `columns` of the file keep the stored value.
     */
    match: async (file: BulkFile, columns: ReadonlySet<string>): Promise<void> => {
      await matchStaged(client, file, columns);
      given[file] = columns;
    },
    /** Returns, by line, the names that the users on these lines will have after the load. Leaves out incomplete rows. */
    plannedNames: (lines: readonly number[]) => plannedNames(client, given.users ?? new Set(), lines),
    /** Marks staged users as incomplete. */
    rejectUsers: (lines: readonly number[]): Promise<void> => rejectUsers(client, lines),
    /** Finds conflicts within a file and with the database. Returns those of the first `maxLines` lines that have any. */
    findings: (file: BulkFile, maxLines: number): Promise<BulkFindings> => findConflicts(client, file, maxLines),
    /**
     * Plans to deactivate the active users that no line matches, as stored now; later ones are not missing. Unless `force`, an absent
     * Leader stays active if the division would otherwise lose its last one. The rows must have been matched.
     */
    deactivateMissing: async ({ force }: { readonly force: boolean }): Promise<void> => {
      await stageMissing(client, force);
      given.missing = DEACTIVATION;
    },
    /** Reads the stored users that no staged line matches, ordered by username, in batches. */
    readMissing: (receive: (users: readonly MissingUser[]) => Promise<void>): Promise<void> =>
      readMissing(client, receive),
    /** Plans the staged rows, which have neither conflicts nor incomplete rows. */
    plan: async (): Promise<BulkPlan> => {
      const plan = {
        divisions: await countPlanned(client, 'divisions'),
        users: await countPlanned(client, 'users'),
        leaderless: await findLeaderless(client),
        missing: given.missing ? await planMissing(client) : null,
      };
      const store: BulkPlan['store'] = async (progress, indexes) => {
        const counts = await storePlanned(client, { plan, given, author, ids, now: clock.now() }, progress, indexes);
        if (counts) onStored();
        return counts;
      };
      return { ...plan, store };
    },
  };
};

/** One load of many divisions and users, in one transaction. Rows wait in temporary tables until all are checked. */
export type BulkLoad = ReturnType<typeof makeLoad>;

/**
 * Opens a load and runs `work`. Commits when `work` resolves after storing a plan. Otherwise rolls back, so that a load that
 * only plans writes nothing.
 *
 * @throws DomainError `unavailable`.
 */
export type LoadInBulk = <T>(author: Author, work: (load: BulkLoad) => Promise<T>) => Promise<T>;

const open = async (client: Client): Promise<void> => {
  await client.query(DETECT_LOST_CLIENT);
  // The checks for conflicts sort and hash whole files.
  await client.query(`set local work_mem = '64MB'`);
  for (const statement of [...Object.values(SUBJECTS).map(createStaged), PASSWORDS]) await client.query(statement);
};

/** Makes bulk loads. Each load is one transaction on its own connection. */
export const makeLoadInBulk =
  (withClient: WithClient, options: LoadOptions): LoadInBulk =>
  (author, work) =>
    withClient('begin', async (client, commit) => {
      await open(client);
      let isStored = false;
      const load = makeLoad(client, author, options, () => {
        isStored = true;
      });
      const result = await work(load);
      if (isStored) await commit();
      return result;
    });
