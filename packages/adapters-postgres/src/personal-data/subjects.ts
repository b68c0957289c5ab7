import { type AuditEntry, foldCase, type User, type UserId } from '@chapter/domain';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { digestOfSubject } from '../limits/login-limits.ts';
import { db } from '../schema/tables.ts';

const PERSONAL_NAME_FIELDS = ['username', 'email', 'firstName', 'lastName'] as const;

const AUDITED = defineStatement(
  'find-audited-changes',
  ({ id }: Parameters<{ id: UserId }>) =>
    db.selectFrom('audit_entry').select('changes').where('target_type', '=', 'user').where('target_id', '=', id),
  { columns: ['changes'] },
);
const TAKEN = defineStatement(
  'find-names-of-others',
  ({ id, names }: Parameters<{ id: UserId; names: readonly string[] }>) =>
    db
      .selectFrom('user_account')
      .select('username_key')
      .where((eb) => eb('username_key', '=', eb.fn.any(names)))
      .where('id', '<>', id),
  { columns: ['username_key'] },
);

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

const namesIn = (changes: AuditEntry['changes']): readonly unknown[] =>
  PERSONAL_NAME_FIELDS.flatMap((field) => [changes[field]?.old, changes[field]?.new]);

/** Returns the present and past names of a user, and the digests under which login limits count the user's attempts. */
export const findSubjects = async (
  runner: Runner,
  id: UserId,
  user: User | null,
): Promise<{ readonly names: readonly string[]; readonly digests: readonly string[] }> => {
  const entries = await AUDITED.run(runner, { id });
  const present = PERSONAL_NAME_FIELDS.map((field) => user?.[field]);
  const names = [
    ...new Set([...present, ...entries.flatMap(([changes]) => namesIn(changes))].filter(isName).map(foldCase)),
  ];
  // Attempts with a name that now belongs to another user count as that user's.
  const taken = new Set((await TAKEN.run(runner, { id, names })).map(([name]) => name));
  const subjects = names.filter((name) => !taken.has(name)).map((username) => ({ username }));
  return { names, digests: [{ userId: id }, ...subjects].map(digestOfSubject) };
};
