import {
  type AuditedAction,
  type Division,
  decideDivisionUpdate,
  decideImport,
  isActiveLeader,
  losesLeader,
  OPERATOR,
  pick,
  type User,
} from '@chapter/domain/ports';
import type { Client } from 'pg';
import { DIVISION_COLUMNS, type DivisionRow, toDivision } from '../divisions/division-repository.ts';
import { divisionMapping, fieldsOf, type userMapping, writtenValues } from '../schema/mapping.ts';
import { allUserColumns, CREDENTIAL_COLUMNS, type CredentialRow, toCredentials } from '../users/user-rows.ts';
import type { BulkFile } from './bulk-load.ts';
import { type Staged, SUBJECTS, type Subject, stagedColumns } from './staging.ts';

/** The columns of a file. */
export type GivenColumns = ReadonlySet<string>;

/** Lines of a file: from the first to before the last. */
export type LineRange = readonly [from: number, to: number];

/** What a row of a file changes of the stored row that it matches. */
interface Decision {
  readonly audit: AuditedAction;
  /** The new values of the stored row, by column. */
  readonly stored: Readonly<Record<string, unknown>>;
  /** What the plan needs to know, by column of the staged row. */
  readonly staged: Readonly<Record<string, unknown>>;
  readonly endsSessions: boolean;
  readonly endsTokens: boolean;
  readonly voidsLink: boolean;
}

/** A decision on the row of a line, with the id of its audit entry. */
export interface Change extends Decision {
  readonly line: number;
  /** Null if it has no id yet. */
  readonly auditId: string | null;
}

type Decide<Row, Field> = (fields: readonly Field[], before: Row, after: Row) => Decision | null;

/** Decides what a user with the values of the given fields changes of the stored one. */
const decideUser: Decide<CredentialRow, keyof typeof userMapping> = (fields, oldRow, newRow) => {
  const [before, after] = [toCredentials(oldRow), toCredentials(newRow)];
  const values: Partial<User> = pick(after.user, fields);
  const write = decideImport(before, { values, passwordHash: after.passwordHash });
  if (write === 'unchanged') return null;
  const { audit, endsSessions, endsTokens, passwordHash, user, voidsLink } = write;
  return {
    audit,
    endsSessions,
    endsTokens,
    voidsLink,
    stored: { ...allUserColumns(user), password_hash: passwordHash },
    staged: {
      division_id: user.division.id,
      leads: isActiveLeader(user),
      left_division: losesLeader(before.user, user) ? before.user.division.id : null,
      sets_password: passwordHash !== before.passwordHash,
    },
  };
};

const decideDivision: Decide<DivisionRow, keyof typeof divisionMapping> = (fields, oldRow, newRow) => {
  const values: Partial<Division> = pick(toDivision(newRow), fields);
  const write = decideDivisionUpdate(OPERATOR, { actor: null, division: toDivision(oldRow) }, { values });
  if (write === 'unchanged') return null;
  const stored = writtenValues(divisionMapping, fieldsOf(divisionMapping), write.division);
  return { audit: write.audit, stored, staged: {}, endsSessions: false, endsTokens: false, voidsLink: false };
};

/** Replaces columns of a row by other SQL. */
type Replaced = Readonly<Record<string, string>>;

const selected = (columns: readonly string[], replaced: Replaced, row = 't'): string =>
  columns.map((column) => replaced[column] ?? `${row}.${column}`).join(', ');

/** The columns of a stored row `t` with the values of the file `s` where it has the column. */
const withGiven = ({ columns }: Subject, given: GivenColumns): Replaced =>
  Object.fromEntries(
    columns.filter((column) => given.has(column) && column !== 'id').map((column) => [column, `s.${column}`]),
  );

/** How rows of a file are read and decided: `t` is the stored row, `s` the staged one, `b` and `a` the old and new division. */
interface Matching {
  /** The columns of a stored row. */
  readonly before: string;
  /** The columns of the same row with the values of the file. */
  readonly after: (given: GivenColumns) => string;
  readonly joins: (given: GivenColumns) => string;
  readonly decide: Decide<never, never>;
}

const MATCHINGS: Readonly<Record<BulkFile, Matching>> = {
  divisions: {
    before: selected(DIVISION_COLUMNS, {}),
    after: (given) => selected(DIVISION_COLUMNS, withGiven(SUBJECTS.divisions, given)),
    joins: () => '',
    decide: decideDivision,
  },
  users: {
    before: selected(CREDENTIAL_COLUMNS, { division_name: 'b.name', name_version: 'b.name_version' }),
    after: (given) =>
      selected(CREDENTIAL_COLUMNS, {
        ...withGiven(SUBJECTS.users, given),
        division_name: 'a.name',
        name_version: 'a.name_version',
        // A password of the file is hashed after its row is staged.
        password_hash:
          'case when s.sets_password then coalesce(p.password_hash, s.password_hash) else t.password_hash end',
      }),
    // The new division may be in the files and not yet stored.
    joins: (given) => `join division b on b.id = t.division_id
      left join division a on a.id = ${given.has('division_id') ? 's' : 't'}.division_id
      left join bulk_password p on p.line = s.line`,
    decide: decideUser,
  },
};

/**
 * Decides what the matched rows of some lines change. `action` is the action of these rows as known: `unchanged` before they
 * are decided for the plan, `change` to decide the planned ones again on their locked rows. Only the second decision has the hashes of
 * the file's passwords, and those that a login has renewed meanwhile, which changes no version.
 */
export const decideChanges = async (
  client: Client,
  file: Staged,
  columns: GivenColumns,
  action: 'unchanged' | 'change',
  range: LineRange,
): Promise<readonly Change[]> => {
  const { fields, staged, table } = SUBJECTS[file];
  const { after, before, decide, joins } = MATCHINGS[file === 'divisions' ? file : 'users'];
  const text = `select s.line, s.audit_id, ${before}, ${after(columns)}
    from ${staged} s join ${table} t on t.id = s.target ${joins(columns)}
    where s.complete and s.action = $1 and s.line >= $2 and s.line < $3 order by s.line`;
  const query = { text, values: [action, ...range], rowMode: 'array' } as const;
  const { rows } = await client.query<[line: number, auditId: string | null, ...unknown[]]>(query);
  const given = fields.filter(({ column }) => columns.has(column)).map(({ field }) => field as never);
  return rows.flatMap(([line, auditId, ...pair]) => {
    const half = pair.length / 2;
    const decision = decide(given, pair.slice(0, half) as never, pair.slice(half) as never);
    return decision ? [{ ...decision, line, auditId }] : [];
  });
};

/** Maximum number of lines whose rows are decided or stored at once. It bounds the memory of the process. */
const MAX_LINES_PER_BATCH = 5000;

/** Minimum number of batches, so that the operator's progress moves by at most 2 % of the lines at once. */
const MIN_BATCHES = 50;

/** Indexes the lines of a staged file, and returns them in ranges. */
export const lineRanges = async (client: Client, { staged }: Subject): Promise<readonly LineRange[]> => {
  await client.query(`create index if not exists ${staged}_line on ${staged} (line)`);
  await client.query(`analyze ${staged}`);
  const { rows } = await client.query<{ last: number }>(`select coalesce(max(line), 0) as last from ${staged}`);
  const last = rows[0]?.last ?? 0;
  const size = Math.min(MAX_LINES_PER_BATCH, Math.max(1, Math.floor(last / MIN_BATCHES)));
  return Array.from({ length: Math.floor(last / size) + 1 }, (_, at) => [at * size, (at + 1) * size] as const);
};

/** Returns the statement that creates the staged rows of a file once more, with the stored rows that they match. */
const matchStatement = (subject: Subject): string => {
  const { nameField, staged, table } = subject;
  const matched = {
    id: 'coalesce(t.id, s.id) as id',
    creation: 'case when t.id is null then s.creation end as creation',
    target: 't.id as target',
    version: 't.version',
    action: `case when t.id is null then 'create' else 'unchanged' end as action`,
  };
  const found = (isSame: string): string =>
    `select s.line, t.id, t.version from ${staged} s join ${table} t on ${isSame}`;
  return `create temporary table ${staged}_matched on commit drop as
    select ${selected(stagedColumns(subject), matched, 's')} from ${staged} s left join (
      ${found('s.has_id and t.id = s.id')} union all
      ${found(`not s.has_id and t.${nameField.key} = s.${nameField.key}`)}) t on t.line = s.line`;
};

/** Decides for each matched row what it changes, and marks those that change something. */
export const markChanges = async (client: Client, file: Staged, given: GivenColumns): Promise<void> => {
  const subject = SUBJECTS[file];
  const { staged } = subject;
  for (const range of await lineRanges(client, subject)) {
    const changes = await decideChanges(client, file, given, 'unchanged', range);
    const [first] = changes;
    if (!first) continue;
    const marks = ['action', ...Object.keys(first.staged)].map((column) => `${column} = m.${column}`);
    await client.query(
      `update ${staged} s set ${marks.join(', ')} from json_populate_recordset(null::${staged}, $1) m
        where m.line = s.line`,
      [JSON.stringify(changes.map(({ line, staged: known }) => Object.assign({ line, action: 'change' }, known)))],
    );
  }
};

/**
 * Matches the staged rows of a file with stored ones: by id, or by name if the row has no id. Then marks those that
 * change something.
 */
export const matchStaged = async (client: Client, file: BulkFile, given: GivenColumns): Promise<void> => {
  const subject = SUBJECTS[file];
  const { staged } = subject;
  await client.query(`analyze ${staged}`);
  await client.query(matchStatement(subject));
  await client.query(`drop table ${staged}`);
  await client.query(`alter table ${staged}_matched rename to ${staged}`);
  await markChanges(client, file, given);
};
