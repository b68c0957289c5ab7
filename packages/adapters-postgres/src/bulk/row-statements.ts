import type { AuditAction } from '@chapter/domain';
import { creationChanges } from './audited-changes.ts';
import { STAGED_DIVISION_COLUMNS, STAGED_USER_COLUMNS } from './staging.ts';
import { SUBJECTS } from './subjects.ts';

/**
 * Statements for the staged rows `s` with the ordinals from $1 to before $2. The one that writes audit entries also takes
 * the time ($3) and the author ($4 to $6).
 */
export interface RowStatements {
  readonly insert: string;
  readonly auditInsert: string;
  readonly update: string;
}

const CREATED = `s.ordinal >= $1 and s.ordinal < $2 and s.action = 'create'`;
const CHANGED = `s.ordinal >= $1 and s.ordinal < $2 and s.action = 'change'`;

const actionLiteral = (action: AuditAction): string => `'${action}'`;

const audit = (action: string, type: string, division: string, changes: string, from: string): string =>
  `insert into audit_entry
      (id, at, action, author_id, author_name, request_id, target_type, target_id, division_id, changes)
    select s.audit_id, $3, ${action}, $4, $5, $6, '${type}', s.id, s.${division}, ${changes}
      from ${from} order by s.ordinal`;

const assignments = (columns: readonly string[]): string =>
  columns
    .filter((column) => column !== 'id')
    .map((column) => `${column} = s.${column}`)
    .join(', ');

const selected = (columns: readonly string[]): string => columns.map((column) => `s.${column}`).join(', ');

/** The statements for divisions. */
export const DIVISION_STATEMENTS: RowStatements = {
  insert: `insert into division (${STAGED_DIVISION_COLUMNS.join(', ')}, version, name_version)
    select ${selected(STAGED_DIVISION_COLUMNS)}, 1, 1 from bulk_division s where ${CREATED} order by s.ordinal`,
  auditInsert: audit(
    actionLiteral('createDivision'),
    'division',
    'id',
    creationChanges(SUBJECTS.divisions, 's', 'false'),
    `bulk_division s where ${CREATED}`,
  ),
  update: `update division t set ${assignments(STAGED_DIVISION_COLUMNS)}, version = t.version + 1,
      name_version = t.name_version + (t.name <> s.name)::int
    from bulk_division s where ${CHANGED} and t.id = s.target`,
};

const COLUMNS_BUT_PASSWORD = STAGED_USER_COLUMNS.filter((column) => column !== 'password_hash');

// A password of the file is hashed after its row is staged.
const PASSWORD_HASH = 'coalesce(p.password_hash, s.password_hash)';

/** The statements for users. */
export const USER_STATEMENTS: RowStatements = {
  insert: `insert into user_account (${COLUMNS_BUT_PASSWORD.join(', ')}, password_hash, version)
    select ${selected(COLUMNS_BUT_PASSWORD)}, ${PASSWORD_HASH}, 1 from bulk_user s left join bulk_password p using (line)
      where ${CREATED} order by s.ordinal`,
  auditInsert: audit(
    actionLiteral('createUser'),
    'user',
    'division_id',
    creationChanges(SUBJECTS.users, 's', '(s.password_follows or s.password_hash is not null)'),
    `bulk_user s where ${CREATED}`,
  ),
  // A login may have renewed the hash without a new version, so the stored hash stays unless the password changes.
  update: `update user_account t set ${assignments(COLUMNS_BUT_PASSWORD)}, version = t.version + 1,
      password_hash = case when s.password_changed then ${PASSWORD_HASH} else t.password_hash end
    from bulk_user s left join bulk_password p using (line) where ${CHANGED} and t.id = s.target`,
};

/**
 * Removes the keys of the emails that the load moves from changed users to other rows. It runs before those rows are written,
 * because the unique index is checked row by row. The emails stay, because audit entries contain them.
 */
export const FREE_EMAILS = `update user_account t set email_key = null from bulk_user s
  where s.action = 'change' and t.id = s.target and t.email_key is distinct from s.email_key
    and exists (select from bulk_user o where o.email_key = t.email_key)`;

/** Writes the decided audit entries in $1, with the time ($2) and the author ($3 to $5). */
export const WRITE_DECIDED = `insert into audit_entry
    (id, at, action, author_id, author_name, request_id, target_type, target_id, division_id, changes)
  select r.id, $2, r.action, $3, $4, $5, r."targetType", r."targetId", r."divisionId", r.changes
    from json_to_recordset($1) as r(id uuid, action text, "targetType" text, "targetId" uuid, "divisionId" uuid, changes json)`;

/** Ends the sessions of the users in $1. */
export const END_SESSIONS = 'delete from session where user_id = any ($1)';

/** Removes the password links of the users in $1. */
export const VOID_LINKS = 'delete from password_link where user_id = any ($1)';
