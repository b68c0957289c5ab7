import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type Division,
  decideCreation,
  decideDivisionCreation,
  divisionFields,
  type FieldColumns,
  foldCase,
  type IdGenerator,
  isActiveLeader,
  type NewUser,
  userFields,
} from '@chapter/domain/ports';
import type { Client } from 'pg';
import { from } from 'pg-copy-streams';
import {
  divisionMapping,
  fieldsOf,
  type StoredField,
  type StoredFields,
  userMapping,
  writtenValues,
} from '../schema/mapping.ts';
import { allUserColumns } from '../users/user-rows.ts';
import type { BulkDivision, BulkFile, BulkRow, BulkUser } from './bulk-load.ts';

/** A field of the rows of a file, with its column. */
export interface BulkField extends StoredField, FieldColumns {
  readonly field: string;
}

/** The tables and fields of the rows of a file. */
export interface Subject {
  /** The table that the rows are stored in. */
  readonly table: string;
  readonly staged: string;
  readonly fields: readonly BulkField[];
  /** The field by which a row without an id is matched with a stored one. */
  readonly nameField: BulkField;
  readonly columns: readonly string[];
}

const subjectOf = <Field extends string>(
  [table, staged, name]: readonly [table: string, staged: string, name: Field],
  definitions: Readonly<Record<Field, FieldColumns>>,
  mapping: StoredFields<Field>,
  added: readonly string[] = [],
): Subject => {
  const bulkField = (field: Field): BulkField => ({ field, ...definitions[field], ...mapping[field] });
  const fields = fieldsOf(mapping).map(bulkField);
  const columns = fields.flatMap(({ column, key }) => (key === null ? [column] : [column, key]));
  return { table, staged, fields, nameField: bulkField(name), columns: [...columns, ...added] };
};

/** What is staged: the rows of the files, and the deactivations of users that no line matches. */
export type Staged = BulkFile | 'missing';

const users = subjectOf(['user_account', 'bulk_user', 'username'], userFields, userMapping, ['password_hash']);

/** The staged divisions and users, and the users that no line matches. */
export const SUBJECTS: Readonly<Record<Staged, Subject>> = {
  divisions: subjectOf(['division', 'bulk_division', 'name'], divisionFields, divisionMapping),
  users,
  missing: { ...users, staged: 'bulk_missing' },
};

const STAGED_COLUMNS = {
  line: 'int not null',
  complete: 'boolean not null',
  has_id: 'boolean not null',
  /** The columns of the file in which the row has no value. */
  blank: 'text[]',
  audit_id: 'uuid',
  /** The changes that the audit entry of a creation records. */
  creation: 'text',
  /** The case-folded name of the division, if the file gives it. */
  division_key: 'text collate "C"',
  /** Whether the user is an active Leader after the load. */
  leads: 'boolean',
  /** Whether the file gives a password or a hash; after the match, whether that changes the stored hash. */
  sets_password: 'boolean',
} as const;

/** The columns that `match.ts` fills: the stored row that a row matches, with its version, and what happens to it. */
const MATCH_COLUMNS = {
  target: 'uuid',
  version: 'int',
  action: `text not null default 'create'`,
  /** The division that loses an active Leader by the change. */
  left_division: 'uuid',
} as const;

/** Returns all columns of the temporary table of a file. */
export const stagedColumns = ({ columns }: Subject): readonly string[] => [
  ...Object.keys({ ...STAGED_COLUMNS, ...MATCH_COLUMNS }),
  ...columns,
];

/**
 * Returns the statement that creates the temporary table of a file: the columns that a load writes, nullable, and more.
 * Reads their types from the catalog, because a table that the statement named would stay locked while the file is
 * read, even by a process that is stopped.
 */
export const createStaged = ({ columns, staged, table }: Subject): string => {
  const added = Object.entries({ ...STAGED_COLUMNS, ...MATCH_COLUMNS }).map(
    ([name, type]) => `add column ${name} ${type}`,
  );
  return `do $$ begin execute (
      select format('create temporary table ${staged} (%s) on commit drop', string_agg(
          format('%I %s%s', attname, format_type(atttypid, atttypmod), ' collate ' || quote_ident(collname)), ', '))
        from pg_attribute left join pg_collation c on c.oid = attcollation
        where attrelid = '${table}'::regclass and attname in ('${columns.join("', '")}')
    ); end $$;
    alter table ${staged} ${added.join(', ')}`;
};

type StagedRow = Readonly<Record<string, unknown>>;

const describeRow = (ids: IdGenerator, { blank, complete, line, values }: BulkRow<BulkDivision | BulkUser>) => ({
  line: String(line),
  complete,
  has_id: values.id !== undefined,
  blank,
  audit_id: complete ? ids.next() : null,
});

/** Stages a division as the one that it creates unless it matches a stored one. */
const stageDivision = (ids: IdGenerator, row: BulkRow<BulkDivision>): StagedRow => {
  const division = { ...row.values, id: row.values.id ?? ids.next() } as Division;
  return {
    ...describeRow(ids, row),
    ...writtenValues(divisionMapping, fieldsOf(divisionMapping), division),
    creation: row.complete ? JSON.stringify(decideDivisionCreation(division).audit.changes) : null,
  };
};

/** The staged hash of a password that is not yet hashed. */
const PENDING_HASH = '';

/** Stages a user as the one that the row creates unless it matches a stored one. */
const stageUser = (ids: IdGenerator, row: BulkRow<BulkUser>): StagedRow => {
  const { division, passwordFollows, passwordHash = null, ...values } = row.values;
  const id = values.id ?? ids.next();
  const newUser = { ...values, id, passwordHash: passwordFollows ? PENDING_HASH : passwordHash } as NewUser;
  // The audit entry of a creation does not contain the name of the division.
  const { audit, user } = decideCreation(newUser, { id: newUser.divisionId, name: '' });
  return Object.assign(describeRow(ids, row), allUserColumns(user), {
    password_hash: newUser.passwordHash,
    division_key: division === undefined ? null : foldCase(division),
    sets_password: passwordFollows === true || row.values.passwordHash !== undefined,
    creation: row.complete ? JSON.stringify(audit.changes) : null,
    leads: row.complete && isActiveLeader(user),
  });
};

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const escaped = (text: string): string => text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);

/** Returns a value of a column in the text format of COPY (PostgreSQL, "COPY", File Formats). */
const cellText = (value: unknown): string => {
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? escaped(`{${value.join(',')}}`) : '\\N';
};

/** Characters sent at once. Smaller chunks cost more in calls than in bytes. */
const CHUNK_SIZE_CHARS = 65_536;

async function* chunksOf<T>(rows: AsyncIterable<T>, lineOf: (row: T) => string, isOver: () => boolean) {
  let chunk = '';
  for await (const row of rows) {
    // Checked for each row: after a failure, there is no use in waiting for slow rows to fill the chunk.
    if (isOver()) return;
    chunk += lineOf(row);
    if (chunk.length < CHUNK_SIZE_CHARS) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/**
 * Makes the function that copies the rows of a file to their temporary table, no faster than the database accepts them,
 * so that few rows are in memory at once. An error that `rows` throws aborts the copy.
 */
const makeStage =
  <T>({ columns, staged }: Subject, stage: (ids: IdGenerator, row: BulkRow<T>) => StagedRow) =>
  async (client: Client, ids: IdGenerator, rows: AsyncIterable<BulkRow<T>>): Promise<void> => {
    const all = [...Object.keys(STAGED_COLUMNS), ...columns];
    const lineOf = (row: BulkRow<T>): string => {
      const values = stage(ids, row);
      return `${all.map((column) => cellText(values[column])).join('\t')}\n`;
    };
    const copy = client.query(from(`copy ${staged} (${all.join(', ')}) from stdin`));
    await pipeline(Readable.from(chunksOf(rows, lineOf, () => copy.destroyed)), copy);
  };

/** Copies the rows of the file of divisions to their temporary table. */
export const stageDivisions = makeStage(SUBJECTS.divisions, stageDivision);

/** Copies the rows of the file of users to their temporary table. */
export const stageUsers = makeStage(SUBJECTS.users, stageUser);
