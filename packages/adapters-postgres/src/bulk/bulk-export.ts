import {
  divisionAudit,
  divisionFields,
  exportedFiles,
  type FieldColumns,
  type FieldKind,
  FORMULA_PATTERN,
  NO_TARGET,
  userFields,
} from '@chapter/domain/ports';
import { escapeLiteral } from 'pg';
import { to } from 'pg-copy-streams';
import type { RecordAction } from '../audit/audit-writer.ts';
import { BEGIN_SNAPSHOT, type WithClient } from '../connection/unpooled-clients.ts';
import { divisionMapping, fieldsOf, type StoredFields, userMapping } from '../schema/mapping.ts';
import type { BulkFile, ExportInBulk } from './bulk-load.ts';

/** Returns SQL that does what `guardFormula` of the domain does. */
const escapeFormula = (column: string): string =>
  `case when ${column} ~ ${escapeLiteral(FORMULA_PATTERN)} then '''' || ${column} else ${column} end`;

/** SQL that writes a column, by the kind of its field. */
const EXPRESSIONS: Readonly<Record<FieldKind, (column: string, field: FieldColumns) => string>> = {
  // COPY writes an empty text as "" and null as nothing; null reads better in a spreadsheet.
  text: (column, { nullable }) => (nullable ? escapeFormula(column) : `nullif(${escapeFormula(column)}, '')`),
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

const DIVISION_EXPRESSIONS = expressionsOf(divisionFields, divisionMapping);
const USER_EXPRESSIONS = expressionsOf(userFields, userMapping);

const selectAll = (expressions: readonly string[], table: string): string =>
  `select ${expressions.join(', ')} from ${table} order by id`;

const queryOf = (file: BulkFile, withHashes: boolean): string => {
  if (file === 'divisions') return selectAll(DIVISION_EXPRESSIONS, 'division');
  return selectAll(withHashes ? [...USER_EXPRESSIONS, 'password_hash'] : USER_EXPRESSIONS, 'user_account');
};

/** Makes the export. Each export has its own connection. */
export const makeExportInBulk =
  (withClient: WithClient, recordAction: RecordAction): ExportInBulk =>
  async (author, sinks, { withHashes }) => {
    const files = (['divisions', 'users'] as const).filter((file) => sinks[file]);
    const action = sinks.users ? 'exportUsers' : 'exportDivisions';
    await recordAction(author, divisionAudit(action, NO_TARGET, exportedFiles(files, withHashes)));
    return withClient(BEGIN_SNAPSHOT, async (client) => {
      const counts: { -readonly [File in BulkFile]?: number } = {};
      for (const file of files) {
        const sink = sinks[file];
        if (!sink) continue;
        const copy = client.query(to(`copy (${queryOf(file, withHashes)}) to stdout with (format csv, header)`));
        await sink(copy);
        counts[file] = copy.rowCount;
      }
      return counts;
    });
  };
