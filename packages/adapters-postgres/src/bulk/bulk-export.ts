import { divisionFields, type FieldColumns, type FieldKind, userFields } from '@chapter/domain';
import { to } from 'pg-copy-streams';
import { divisionMapping } from '../schema/division-mapping.ts';
import { fieldsOf, type StoredFields } from '../schema/mapping.ts';
import { userMapping } from '../schema/user-mapping.ts';
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

/** How a column of each kind is written. */
const EXPRESSIONS: Readonly<Record<FieldKind, (column: string, field: FieldColumns) => string>> = {
  // COPY writes what is empty in quotation marks, and what is null without.
  text: (column, { nullable }) => (nullable ? plain(column) : `nullif(${plain(column)}, '')`),
  uuid: (column) => column,
  division: (column) => column,
  groups: (column) => `nullif(array_to_string(${column}, ';'), '')`,
  date: (column) => column,
  boolean: (column) => `${column}::text`,
  instant: (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

const expressionsOf = <Field extends string>(
  fields: Readonly<Record<Field, FieldColumns>>,
  mapping: StoredFields<Field>,
): readonly string[] =>
  fieldsOf(fields).map((field) => {
    const { column } = mapping[field];
    return `${EXPRESSIONS[fields[field].kind](column, fields[field])} as ${column}`;
  });

const DIVISIONS = expressionsOf(divisionFields, divisionMapping);
const USERS = expressionsOf(userFields, userMapping);

const selected = (expressions: readonly string[], table: string): string =>
  `select ${expressions.join(', ')} from ${table} order by id`;

const query = (file: BulkFile, withHashes: boolean): string => {
  if (file === 'divisions') return selected(DIVISIONS, 'division');
  return selected(withHashes ? [...USERS, 'password_hash'] : USERS, 'user_account');
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
