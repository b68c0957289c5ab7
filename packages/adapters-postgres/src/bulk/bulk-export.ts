import { to } from 'pg-copy-streams';
import type { BulkFile } from './bulk-load.ts';
import type { WithClient } from './client.ts';
import type { ExportInBulk } from './export-in-bulk.ts';

/**
 * What a spreadsheet would take for a formula gets an apostrophe before it, by which spreadsheets know text; and so does
 * what looks as if it had got one, so that an import can take it away again (OWASP, "CSV Injection").
 */
const FORMULA = `^''*[=+@＝＋－＠-]`;

const plain = (column: string): string =>
  `case when ${column} ~ '${FORMULA}' then '''' || ${column} else ${column} end`;

const selected = (columns: Readonly<Record<string, string>>, table: string): string =>
  `select ${Object.entries(columns)
    .map(([name, expression]) => `${expression} as ${name}`)
    .join(', ')} from ${table} order by id`;

const DIVISIONS = { id: 'id', name: plain('name'), logo: 'logo', fanpage: 'fanpage' };

const USERS = {
  id: 'id',
  username: plain('username'),
  email: plain('email'),
  // COPY writes what is empty in quotation marks, and what is null without.
  first_name: `nullif(${plain('first_name')}, '')`,
  last_name: `nullif(${plain('last_name')}, '')`,
  division_id: 'division_id',
  groups: `nullif(array_to_string(groups, ';'), '')`,
  birthdate: 'birthdate',
  is_active: 'is_active::text',
  is_staff: 'is_staff::text',
  is_superuser: 'is_superuser::text',
  date_joined: `to_char(date_joined at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

const query = (file: BulkFile, withHashes: boolean): string => {
  if (file === 'divisions') return selected(DIVISIONS, 'division');
  return selected(withHashes ? { ...USERS, password_hash: 'password_hash' } : USERS, 'user_account');
};

/** Makes the export on clients of its own. */
export const makeExportInBulk =
  (withClient: WithClient): ExportInBulk =>
  (sinks, { withHashes }) =>
    withClient('begin isolation level repeatable read, read only', async (client) => {
      const counts: { -readonly [File in BulkFile]?: number } = {};
      for (const file of ['divisions', 'users'] as const) {
        const sink = sinks[file];
        if (!sink) continue;
        const copy = client.query(to(`copy (${query(file, withHashes)}) to stdout with (format csv, header)`));
        await sink(copy);
        counts[file] = copy.rowCount;
      }
      return counts;
    });
