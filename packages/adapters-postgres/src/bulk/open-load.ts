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
 * Cancels a running statement within a second after its client disconnects: building an index can take minutes, and its
 * locks block other clients. Servers on operating systems without support reject the setting, which is ignored.
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

/** Makes bulk loads. Each load is one transaction on its own connection. */
export const makeLoadInBulk = (
  withClient: WithClient,
  { clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator },
): LoadInBulk => {
  const divisions = divisionStaging(ids);
  const users = userStaging(ids);
  const open = async (client: Client): Promise<void> => {
    await client.query(DETECT_LOST_CLIENT);
    // The checks for conflicts sort and hash whole files.
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
        findings: (file, maxLines) => translated(() => findConflicts(client, file, maxLines)),
        store: (progress, indexes) => translated(() => storeStaged(client, author, clock.now(), progress, indexes)),
      };
      const result = await work(load);
      await translated(commit);
      return result;
    });
};
