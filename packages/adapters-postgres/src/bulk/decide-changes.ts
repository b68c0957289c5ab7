import { type AuditedAction, decideDivisionUpdate, decideImport, OPERATOR, type UserId } from '@chapter/domain';
import type { Client } from 'pg';
import { DIVISION_COLUMNS, type DivisionRow, toDivision } from '../divisions/division-rows.ts';
import { CREDENTIAL_COLUMNS, type CredentialRow, toUser } from '../users/user-rows.ts';
import type { BulkFile } from './bulk-load.ts';

/** What the changes of a batch do besides storing new values. */
interface DecidedChanges {
  /** The audit entries by their ids. */
  readonly audited: readonly (readonly [id: string, audited: AuditedAction])[];
  /** The users whose sessions end. */
  readonly ended: readonly UserId[];
  /** The users whose password links become void. */
  readonly voided: readonly UserId[];
}

const selected = (columns: readonly string[], row: string, others: Readonly<Record<string, string>> = {}): string =>
  columns.map((column) => others[column] ?? `${row}.${column}`).join(', ');

const CHANGED_IN_ORDER = `s.action = 'change' and s.ordinal >= $1 and s.ordinal < $2 order by s.ordinal`;

const AFTER_DIVISION = { version: 't.version' };
const BEFORE_USER = { division_name: 'b.name', name_version: 'b.name_version' };
const AFTER_USER = {
  version: 't.version',
  division_name: 'a.name',
  name_version: 'a.name_version',
  // A password of the file is hashed after its row is staged.
  password_hash:
    'case when s.password_changed then coalesce(p.password_hash, s.password_hash) else t.password_hash end',
};

/** For each file, the query for the audit ids, stored rows and new rows of a batch of changes. */
const READ_CHANGES: Readonly<Record<BulkFile, string>> = {
  divisions: `select s.audit_id, ${selected(DIVISION_COLUMNS, 't')}, ${selected(DIVISION_COLUMNS, 's', AFTER_DIVISION)}
    from bulk_division s join division t on t.id = s.target where ${CHANGED_IN_ORDER}`,
  users: `select s.audit_id, ${selected(CREDENTIAL_COLUMNS, 't', BEFORE_USER)},
      ${selected(CREDENTIAL_COLUMNS, 's', AFTER_USER)}
    from bulk_user s join user_account t on t.id = s.target
    join division b on b.id = t.division_id join division a on a.id = s.division_id
    left join bulk_password p on p.line = s.line where ${CHANGED_IN_ORDER}`,
};

type Pair<Row> = readonly [auditId: string, before: Row, after: Row];

const readPairs = async <Row>(
  client: Client,
  file: BulkFile,
  batch: readonly number[],
): Promise<readonly Pair<Row>[]> => {
  const query = { text: READ_CHANGES[file], values: [...batch], rowMode: 'array' } as const;
  const { rows } = await client.query<[string, ...unknown[]]>(query);
  return rows.map(([auditId, ...columns]) => {
    const half = columns.length / 2;
    return [auditId, columns.slice(0, half) as Row, columns.slice(half) as Row];
  });
};

const stateOf = ([passwordHash, ...row]: CredentialRow) => ({ user: toUser(row), passwordHash });

/**
 * Decides the changes of the staged rows with the ordinals of a batch. Their stored rows must be locked.
 *
 * @throws the database's own errors.
 */
export const decideChanges = async (
  client: Client,
  file: BulkFile,
  batch: readonly number[],
): Promise<DecidedChanges> => {
  if (file === 'divisions') {
    const pairs = await readPairs<DivisionRow>(client, file, batch);
    const audited = pairs.flatMap(([auditId, before, after]) => {
      const locked = { actor: null, division: toDivision(before) };
      const write = decideDivisionUpdate(OPERATOR, locked, { values: toDivision(after) });
      return write === 'unchanged' ? [] : [[auditId, write.audit] as const];
    });
    return { audited, ended: [], voided: [] };
  }
  const pairs = await readPairs<CredentialRow>(client, file, batch);
  const decided = pairs.map(([auditId, before, after]) => {
    const { passwordHash, user } = stateOf(after);
    return [auditId, decideImport(stateOf(before), user, passwordHash)] as const;
  });
  const writes = decided.map(([, write]) => write);
  return {
    audited: decided.map(([auditId, { audit }]) => [auditId, audit]),
    ended: writes.filter(({ endsSessions }) => endsSessions).map(({ user }) => user.id),
    voided: writes.filter(({ voidsLink }) => voidsLink).map(({ user }) => user.id),
  };
};
