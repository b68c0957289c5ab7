import {
  type AuditEntry,
  foldCase,
  type PersonalData,
  parseUuid,
  type StoredCounter,
  type StoredData,
  type User,
  type UserId,
} from '@chapter/domain/ports';
import { sql } from 'kysely';
import { findEntries } from '../audit/audit-log.ts';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import type { InSnapshot } from '../connection/unpooled-clients.ts';
import { digestOfSubject } from '../limits/login-limits.ts';
import { toInstant } from '../schema/mapping.ts';
import { db } from '../schema/tables.ts';
import { STORED_TOKENS, toToken } from '../sessions/personal-tokens.ts';
import { STORED_SESSIONS, toSession } from '../sessions/session-repository.ts';
import { findCredentials } from '../users/credential-store.ts';
import { findActivity } from '../users/user-directory.ts';

const PERSONAL_NAME_FIELDS = ['username', 'email', 'firstName', 'lastName'] as const;

const AUDITED = defineStatement(
  'find-audited-changes',
  (value: Parameters<{ id: UserId }>) =>
    db
      .selectFrom('audit_entry')
      .select('changes')
      .where('target_type', '=', 'user')
      .where('target_id', '=', value('id')),
  { columns: ['changes'] },
);
const TAKEN = defineStatement(
  'find-names-of-others',
  (value: Parameters<{ id: UserId; names: readonly string[] }>) =>
    db
      .selectFrom('user_account')
      .select('username_key')
      .where((eb) => eb('username_key', '=', eb.fn.any(value('names'))))
      .where('id', '<>', value('id')),
  { columns: ['username_key'] },
);

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

const namesIn = (changes: AuditEntry['changes']): readonly unknown[] =>
  PERSONAL_NAME_FIELDS.flatMap((field) => [changes[field]?.old, changes[field]?.new]);

/** Returns the present and past names of a user, and the digests under which login limits count the user's attempts. */
export const findSubjects = async (runner: Runner, id: UserId, user: User | null) => {
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

/** A limit that no result exceeds: the largest `int`. */
const MAX_LIMIT = 2_147_483_647;

const COUNTER_KINDS: Readonly<Record<string, StoredCounter['kind']>> = {
  u: 'logins',
  p: 'currentPasswords',
  c: 'conflicts',
};

type OfUser = Parameters<{ id: UserId }>;

const LINK = defineStatement(
  'find-stored-link',
  (value: OfUser) => db.selectFrom('password_link').select('expires_at').where('user_id', '=', value('id')),
  { columns: ['expires_at'] },
);
const KEYS = defineStatement(
  'find-stored-keys',
  (value: OfUser) =>
    db
      .selectFrom('idempotency_key')
      .select(['key', 'created_at'])
      .where('author', '=', sql<string>`${value('id')}::text`)
      .orderBy('created_at')
      .orderBy('key'),
  { columns: ['key', 'created_at'] },
);
const RESPONSES = defineStatement(
  'find-stored-responses',
  (value: OfUser) =>
    db
      .selectFrom('idempotency_key')
      .select(['answer', 'created_at'])
      .where(sql<string>`${sql.ref('answer')} ->> 'id'`, '=', sql<string>`${value('id')}::text`)
      .where('request', '<>', '')
      .orderBy('created_at')
      .orderBy('key'),
  { columns: ['answer', 'created_at'] },
);
const COUNTERS = defineStatement(
  'find-stored-counters',
  (value: Parameters<{ id: UserId; digests: readonly string[] }>) =>
    db
      .selectFrom('login_limit')
      .select(['key', 'points', 'expire'])
      .where((eb) =>
        eb('subject', '=', eb.fn.any(value('digests'))).or('key', '=', sql<string>`'c:' || ${value('id')}::text`),
      )
      .orderBy('expire')
      .orderBy('key'),
  { columns: ['key', 'points', 'expire'] },
);

const findCounters = async (runner: Runner, id: UserId, digests: readonly string[]): Promise<StoredCounter[]> =>
  (await COUNTERS.run(runner, { id, digests })).flatMap(([key, count, expire]) => {
    const kind = COUNTER_KINDS[key.charAt(0)];
    return kind === undefined ? [] : [{ kind, count, endsAt: new Date(Number(expire)).toISOString() }];
  });

const findData = async (runner: Runner, id: UserId): Promise<StoredData | null> => {
  const found = await findCredentials(runner, id);
  const entries = await findEntries(runner, { userIds: [id], limit: MAX_LIMIT });
  const keys = await KEYS.run(runner, { id });
  const responses = await RESPONSES.run(runner, { id });
  if (!found && [entries, keys, responses].every(({ length }) => length === 0)) return null;
  const [link] = await LINK.run(runner, { id });
  const user = found?.user ?? null;
  const { digests } = await findSubjects(runner, id, user);
  return {
    user,
    hasPassword: typeof found?.passwordHash === 'string',
    lastActiveOn: (await findActivity(runner, id))?.lastActiveOn ?? null,
    sessions: (await STORED_SESSIONS.run(runner, { userId: id })).map(toSession),
    tokens: (await STORED_TOKENS.run(runner, { userId: id })).map(toToken),
    linkExpiresAt: link ? toInstant(link[0]) : null,
    keys: keys.map(([key, at]) => ({ key, createdAt: toInstant(at) })),
    responses: responses.map(([created, at]) => ({ user: created, createdAt: toInstant(at) })),
    counters: await findCounters(runner, id, digests),
    audit: entries.toReversed(),
  };
};

/** Reads what is stored about a user, from one snapshot of PostgreSQL. */
export const makePersonalData = (inSnapshot: InSnapshot): PersonalData => ({
  find: async (id) => (parseUuid(id) === id ? inSnapshot((snapshot) => findData(snapshot, id)) : null),
});
