import type { Clock, IdGenerator } from '@chapter/domain';
import type { Client } from 'pg';
import { translated } from '../connection/errors.ts';
import type { BulkLoad, LoadInBulk } from './bulk-load.ts';
import type { WithClient } from './client.ts';
import { copyRows } from './copy-rows.ts';
import { findConflicts } from './findings.ts';
import { divisionStaging, type Staging, userStaging } from './staging.ts';
import { storeStaged } from './store.ts';

const PASSWORDS = 'create temporary table bulk_password (line int not null, password_hash text) on commit drop';

/**
 * Ends a running statement within a second of the client's end: building an index can take minutes, and its locks keep
 * others waiting. Servers on systems that cannot do this refuse the setting.
 */
const NOTICE_LOST_CLIENT = `do $$ begin
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

/** Makes bulk loads, each in one transaction on a connection of its own. */
export const makeLoadInBulk = (
  withClient: WithClient,
  { clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator },
): LoadInBulk => {
  const divisions = divisionStaging(ids);
  const users = userStaging(ids);
  const open = async (client: Client): Promise<void> => {
    await client.query(NOTICE_LOST_CLIENT);
    // The checks sort and hash whole files.
    await client.query(`set local work_mem = '64MB'`);
    for (const statement of [divisions.create, users.create, PASSWORDS]) await client.query(statement);
  };
  return (author, work) =>
    withClient('begin', async (client, commit) => {
      await translated(() => open(client));
      const load: BulkLoad = {
        stageDivisions: stage(client, divisions),
        stageUsers: stage(client, users),
        stagePasswords: (passwords) =>
          translated(() =>
            copyRows(client, 'bulk_password', ['line', 'password_hash'], passwords, ({ line, passwordHash }) => [
              String(line),
              passwordHash,
            ]),
          ),
        findings: (file, most) => translated(() => findConflicts(client, file, most)),
        store: (progress, indexes) => translated(() => storeStaged(client, author, clock.now(), progress, indexes)),
      };
      const result = await work(load);
      await translated(commit);
      return result;
    });
};
