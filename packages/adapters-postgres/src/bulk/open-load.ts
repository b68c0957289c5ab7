import type { Author, Clock, IdGenerator } from '@chapter/domain';
import type { Client } from 'pg';
import { translated } from '../connection/errors.ts';
import type { WithClient } from '../connection/unpooled-clients.ts';
import type { BulkFile, BulkLoad, BulkPlan, LoadInBulk } from './bulk-load.ts';
import { copyRows } from './copy-rows.ts';
import { findConflicts } from './findings.ts';
import { type GivenColumns, matchStaged } from './match.ts';
import { countPlanned, findLeaderless, plannedNames, rejectUsers } from './plan.ts';
import { divisionStaging, type Staging, userStaging } from './staging.ts';
import { storePlanned } from './store.ts';
import { SUBJECTS } from './subjects.ts';

const PASSWORDS = 'create temporary table bulk_password (line int not null, password_hash text) on commit drop';

/**
 * Cancels a running statement within a second after its client disconnects: building an index can take minutes, and its
 * locks block other clients. Servers on operating systems without support reject the setting; that error is ignored.
 */
const DETECT_LOST_CLIENT = `do $$ begin
    perform set_config('client_connection_check_interval', '1s', true);
  exception when invalid_parameter_value then null;
  end $$`;

const stage =
  <T>(
    client: Client,
    { cellsOf, columns, table }: Staging<T>,
  ): ((rows: AsyncIterable<Parameters<typeof cellsOf>[0]>) => Promise<void>) =>
  (rows) =>
    translated(() => copyRows(client, table, columns, rows, cellsOf));

/** What a load needs besides its connection. */
interface LoadOptions {
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Makes the operations of a load on its connection. `onStored` is called after a plan has been stored. */
const makeLoad = (client: Client, author: Author, { clock, ids }: LoadOptions, onStored: () => void): BulkLoad => {
  const given: { [File in BulkFile]?: GivenColumns } = {};
  const store =
    (plan: Omit<BulkPlan, 'store'>): BulkPlan['store'] =>
    (progress, indexes) =>
      translated(async () => {
        const counts = await storePlanned(client, plan, author, clock.now(), progress, indexes);
        if (counts) onStored();
        return counts;
      });
  return {
    stageDivisions: stage(client, divisionStaging(ids)),
    stageUsers: stage(client, userStaging(ids)),
    stagePasswords: (passwords) =>
      translated(() =>
        copyRows(client, 'bulk_password', ['line', 'password_hash'], passwords, ({ line, passwordHash }) => [
          String(line),
          passwordHash,
        ]),
      ),
    match: (file, columns) =>
      translated(async () => {
        await matchStaged(client, SUBJECTS[file], columns, clock.now());
        given[file] = columns;
      }),
    plannedNames: (lines) => translated(() => plannedNames(client, lines)),
    rejectUsers: (lines) => translated(() => rejectUsers(client, lines)),
    findings: (file, maxLines) =>
      translated(() => findConflicts(client, SUBJECTS[file], given[file] ?? null, maxLines)),
    plan: () =>
      translated(async () => {
        const plan = {
          divisions: await countPlanned(client, SUBJECTS.divisions),
          users: await countPlanned(client, SUBJECTS.users),
          leaderless: await findLeaderless(client),
        };
        return { ...plan, store: store(plan) };
      }),
  };
};

/** Makes bulk loads. Each load is one transaction on its own connection. */
export const makeLoadInBulk = (withClient: WithClient, options: LoadOptions): LoadInBulk => {
  const { ids } = options;
  const open = async (client: Client): Promise<void> => {
    await client.query(DETECT_LOST_CLIENT);
    // The checks for conflicts sort and hash whole files.
    await client.query(`set local work_mem = '64MB'`);
    for (const statement of [divisionStaging(ids).create, userStaging(ids).create, PASSWORDS]) {
      await client.query(statement);
    }
  };
  return (author, work) =>
    withClient('begin', async (client, commit) => {
      await translated(() => open(client));
      let isStored = false;
      const load = makeLoad(client, author, options, () => {
        isStored = true;
      });
      const result = await work(load);
      if (isStored) await translated(commit);
      return result;
    });
};
