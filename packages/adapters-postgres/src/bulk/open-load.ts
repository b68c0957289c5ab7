import type { Author } from '@chapter/domain/ports';
import type { Client } from 'pg';
import type { EntrySources } from '../audit/audit-writer.ts';
import type { WithClient } from '../connection/unpooled-clients.ts';
import type { BulkFile, BulkLoad, BulkPlan, LoadInBulk, PlannedRows } from './bulk-load.ts';
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

/** Makes the operations of a load on its connection. `onStored` is called after a plan has been stored. */
const makeLoad = (client: Client, author: Author, { clock, ids }: EntrySources, onStored: () => void): BulkLoad => {
  const given: { [Rows in Staged]?: GivenColumns } = {};
  return {
    stageDivisions: (rows) => stageDivisions(client, ids, rows),
    stageUsers: (rows) => stageUsers(client, ids, rows),
    stagePasswords: async (passwords) => {
      // Hashing takes long. Between these statements the transaction is idle, so the database ends it if the process is stopped.
      for await (const { line, passwordHash } of passwords) {
        await client.query('insert into bulk_password values ($1, $2)', [line, passwordHash]);
      }
    },
    resolveDivisions: () => resolveDivisions(client),
    divisionNames: () => divisionNames(client),
    match: async (file, columns) => {
      await matchStaged(client, file, columns);
      given[file] = columns;
    },
    plannedNames: (lines) => plannedNames(client, given.users ?? new Set(), lines),
    rejectUsers: (lines) => rejectUsers(client, lines),
    findings: (file, maxLines) => findConflicts(client, file, maxLines),
    deactivateMissing: async ({ force }) => {
      await stageMissing(client, force);
      given.missing = DEACTIVATION;
    },
    readMissing: (receive) => readMissing(client, receive),
    plan: async () => {
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

const open = async (client: Client): Promise<void> => {
  await client.query(DETECT_LOST_CLIENT);
  // The checks for conflicts sort and hash whole files.
  await client.query(`set local work_mem = '64MB'`);
  for (const statement of [...Object.values(SUBJECTS).map(createStaged), PASSWORDS]) await client.query(statement);
};

/** Makes bulk loads. Each load is one transaction on its own connection. */
export const makeLoadInBulk =
  (withClient: WithClient, options: EntrySources): LoadInBulk =>
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
