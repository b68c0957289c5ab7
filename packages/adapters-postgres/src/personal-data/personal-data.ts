import {
  type PersonalData,
  parseUuid,
  type SessionRepository,
  type StoredCounter,
  type StoredData,
  type StoredSession,
  type UserId,
} from '@chapter/domain';
import { sql } from 'kysely';
import { findEntries } from '../audit/audit-log.ts';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import type { InSnapshot } from '../connection/unpooled-clients.ts';
import { toInstant } from '../schema/mapping.ts';
import { db } from '../schema/tables.ts';
import { makeCredentialStore } from '../users/credential-store.ts';
import { findActivity } from '../users/user-directory.ts';
import { findSubjects } from './subjects.ts';

/** A limit that no result exceeds: the largest `int`. */
const MAX_LIMIT = 2_147_483_647;

const COUNTER_KINDS: Readonly<Record<string, StoredCounter['kind']>> = {
  u: 'logins',
  p: 'currentPasswords',
  c: 'conflicts',
};

type OfUser = Parameters<{ id: UserId }>;

const SESSION_COLUMNS = ['id', 'started_at', 'refreshed_at', 'expires_at', 'user_agent'] as const;

const SESSIONS = defineStatement(
  'find-stored-sessions',
  ({ id }: OfUser) =>
    db.selectFrom('session').select(SESSION_COLUMNS).where('user_id', '=', id).orderBy('started_at').orderBy('id'),
  { columns: SESSION_COLUMNS },
);
const LINK = defineStatement(
  'find-stored-link',
  ({ id }: OfUser) => db.selectFrom('password_link').select('expires_at').where('user_id', '=', id),
  { columns: ['expires_at'] },
);
const KEYS = defineStatement(
  'find-stored-keys',
  ({ id }: OfUser) =>
    db
      .selectFrom('idempotency_key')
      .select(['key', 'created_at'])
      .where('author', '=', sql<string>`${id}::text`)
      .orderBy('created_at')
      .orderBy('key'),
  { columns: ['key', 'created_at'] },
);
const RESPONSES = defineStatement(
  'find-stored-responses',
  ({ id }: OfUser) =>
    db
      .selectFrom('idempotency_key')
      .select(['answer', 'created_at'])
      .where(sql<string>`${sql.ref('answer')} ->> 'id'`, '=', sql<string>`${id}::text`)
      .where('request', '<>', '')
      .orderBy('created_at')
      .orderBy('key'),
  { columns: ['answer', 'created_at'] },
);
const COUNTERS = defineStatement(
  'find-stored-counters',
  ({ id, digests }: Parameters<{ id: UserId; digests: readonly string[] }>) =>
    db
      .selectFrom('login_limit')
      .select(['key', 'points', 'expire'])
      .where((eb) => eb('subject', '=', eb.fn.any(digests)).or('key', '=', sql<string>`'c:' || ${id}::text`))
      .orderBy('expire')
      .orderBy('key'),
  { columns: ['key', 'points', 'expire'] },
);

const findSessions = async (runner: Runner, id: UserId): Promise<readonly StoredSession[]> =>
  (await SESSIONS.run(runner, { id })).map(([session, started, refreshed, expires, userAgent]) => ({
    id: session,
    createdAt: toInstant(started),
    // The column is null before the first refresh, and in sessions of release 0.1.0.
    refreshedAt: toInstant(refreshed ?? started),
    expiresAt: toInstant(expires),
    userAgent,
  }));

const findCounters = async (runner: Runner, id: UserId, digests: readonly string[]): Promise<StoredCounter[]> =>
  (await COUNTERS.run(runner, { id, digests })).flatMap(([key, count, expire]) => {
    const kind = COUNTER_KINDS[key.charAt(0)];
    return kind === undefined ? [] : [{ kind, count, endsAt: new Date(Number(expire)).toISOString() }];
  });

/** Reads the stored sessions of a user, oldest first. */
type FindSessions = (id: UserId) => Promise<readonly StoredSession[]>;

const findData = async (runner: Runner, id: UserId, findExternal: FindSessions | null): Promise<StoredData | null> => {
  const found = await makeCredentialStore(runner).find(id);
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
    sessions: findExternal ? await findExternal(id) : await findSessions(runner, id),
    linkExpiresAt: link ? toInstant(link[0]) : null,
    keys: keys.map(([key, at]) => ({ key, createdAt: toInstant(at) })),
    responses: responses.map(([created, at]) => ({ user: created, createdAt: toInstant(at) })),
    counters: await findCounters(runner, id, digests),
    audit: entries.toReversed(),
  };
};

/** Reads what is stored about a user, from one snapshot of PostgreSQL; sessions from the external store if there is one. */
export const makePersonalData = (inSnapshot: InSnapshot, externalSessions: SessionRepository | null): PersonalData => {
  const findExternal = externalSessions && (async (id: UserId) => (await externalSessions.list(id)).toReversed());
  return {
    find: async (id) => (parseUuid(id) === id ? inSnapshot((snapshot) => findData(snapshot, id, findExternal)) : null),
  };
};
