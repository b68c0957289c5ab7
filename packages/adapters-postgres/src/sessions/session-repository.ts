import {
  addSeconds,
  forgottenBefore,
  type Instant,
  judgeToken,
  type NewSession,
  type PasswordHash,
  parseUuid,
  SESSION_RULES,
  type SessionId,
  type SessionRepository,
  type StoredSession,
  type TokenDigests,
  tokenTimes,
  type UserId,
} from '@chapter/domain/ports';
import { type Expression, sql } from 'kysely';
import { defineStatement, type Parameters, type RowOf, type Runner } from '../connection/statement.ts';
import type { InTransaction, RunnerFor } from '../connection/transaction.ts';
import { queued, sharedLock } from '../schema/advisory-locks.ts';
import { toInstant } from '../schema/mapping.ts';
import { db } from '../schema/tables.ts';
import { END_ONE, isActive, withEndedSessions } from '../users/end-sessions.ts';
import { toUser } from '../users/user-rows.ts';
import { FIND_TOKEN, insertActivity, LOCK_SESSION, SPEND_TOKEN, sessionOf } from './rotation-statements.ts';

// The lock waits for a concurrent change of the password, and the statement then compares the new hash. A later change
// waits for this statement, and then ends the new session. All times come from the database's clock.
const START = defineStatement(
  'start-session',
  (value: Parameters<NewSession & { checked: PasswordHash }>) =>
    queued(sharedLock('user', value('userId')))
      .with('checked', (cte) =>
        cte
          .selectFrom(['queued', 'user_account as u'])
          .select('u.id')
          .where('u.id', '=', value('userId'))
          .where('u.is_active', '=', sql.lit(true))
          .where('u.password_hash', '=', value('checked'))
          .forShare('u'),
      )
      .with('started', (cte) =>
        cte
          .insertInto('session')
          .columns(['id', 'user_id', 'started_at', 'expires_at', 'user_agent'])
          .expression((eb) =>
            eb
              .selectFrom('checked')
              .select([
                sql<SessionId>`${value('id')}::uuid`.as('id'),
                'checked.id as user_id',
                sql<Instant>`now()`.as('started_at'),
                sql<Instant>`now() + least(${value('lifetime')}::float8, ${value('sessionLifetime')}::float8) * interval '1 second'`.as(
                  'expires_at',
                ),
                sql<string | null>`${value('userAgent')}::text`.as('user_agent'),
              ]),
          )
          .returning(['id', 'user_id', 'started_at', 'expires_at']),
      )
      .with('active_user', (cte) => cte.selectFrom('started').select('user_id as id'))
      .with('noted', insertActivity)
      .with('stored', (cte) =>
        cte
          .insertInto('refresh_token')
          .columns(['digest', 'session_id', 'expires_at'])
          .expression((eb) =>
            eb.selectFrom('started').select([sql<string>`${value('digest')}::text`.as('digest'), 'id', 'expires_at']),
          ),
      )
      .selectFrom('started')
      .select(['started_at', 'expires_at']),
  { columns: ['started_at', 'expires_at'] },
);
const END_SESSION = defineStatement('end-session', (token: Parameters<TokenDigests>) =>
  withEndedSessions((eb) => eb('id', '=', sessionOf(token))).select('id'),
);

// The column is null before the first refresh, and in sessions of release 0.1.0.
const refreshedAt = sql<Instant>`coalesce(${sql.ref('refreshed_at')}, ${sql.ref('started_at')})`;

const SESSION_COLUMNS = ['id', 'started_at', 'refreshed_at', 'expires_at', 'user_agent'] as const;

const sessionsOf = (userId: Expression<UserId>) =>
  db
    .selectFrom('session')
    .select(['id', 'started_at', refreshedAt.as('refreshed_at'), 'expires_at', 'user_agent'])
    .where('user_id', '=', userId);

const LIST_SESSIONS = defineStatement(
  'list-sessions',
  (value: Parameters<{ userId: UserId }>) =>
    sessionsOf(value('userId')).where(isActive).orderBy('started_at', 'desc').orderBy('id', 'desc'),
  { columns: SESSION_COLUMNS },
);

/** Lists all sessions of a user, oldest first. */
export const STORED_SESSIONS = defineStatement(
  'find-stored-sessions',
  (value: Parameters<{ userId: UserId }>) => sessionsOf(value('userId')).orderBy('started_at').orderBy('id'),
  { columns: SESSION_COLUMNS },
);

/** Converts a row to a session. */
export const toSession = ([id, startedAt, refreshed, expiresAt, userAgent]: RowOf<
  typeof LIST_SESSIONS
>): StoredSession => ({
  id,
  createdAt: toInstant(startedAt),
  refreshedAt: toInstant(refreshed),
  expiresAt: toInstant(expiresAt),
  userAgent,
});

const FIND_OWNER = defineStatement(
  'find-session-owner',
  (value: Parameters<{ id: SessionId }>) =>
    db.selectFrom('session').select('user_id').where('id', '=', value('id')).where(isActive),
  { columns: ['user_id'] },
);

/**
 * Ends the least recently refreshed sessions of a user beyond the limit, but never the session `id`. It runs after that
 * session is stored and before its tokens are returned, so that the last of several concurrent logins sees all
 * sessions. The next login also ends excess sessions that release 0.1.0 left.
 */
const END_EXCESS = defineStatement('end-excess-sessions', (value: Parameters<{ id: SessionId; userId: UserId }>) =>
  withEndedSessions((eb) =>
    eb('id', 'in', (excess) =>
      excess
        .selectFrom('session')
        .select('id')
        .where('user_id', '=', value('userId'))
        .where('id', '!=', value('id'))
        .where(isActive)
        .orderBy(refreshedAt, 'desc')
        .orderBy('id', 'desc')
        .offset(sql.lit(SESSION_RULES.maxPerUser - 1)),
    ),
  ).select('id'),
);

/** Makes the rotation of refresh tokens: consumes one and issues the next, or ends the session of a reused one. */
const makeRotate =
  (inTransaction: InTransaction): SessionRepository['rotate'] =>
  ({ digest, family, nextDigest, ...lifetimes }) =>
    inTransaction(['refresh', family], async (tx) => {
      const [[sessionId] = []] = await LOCK_SESSION.run(tx, { digest, family });
      const [row] = sessionId === undefined ? [] : await FIND_TOKEN.run(tx, { digest, sessionId });
      if (!row || sessionId === undefined) return null;
      const [startedAt, since, refreshes, spentAt, spentBy, parent, expiresAt, databaseNow, issued, ...stored] = row;
      const user = toUser(stored);
      const now = toInstant(databaseNow);
      const times = tokenTimes(now, toInstant(startedAt), lifetimes);
      const presented = {
        token:
          expiresAt === null
            ? null
            : { expiresAt: toInstant(expiresAt), spentAt: spentAt && toInstant(spentAt), issued },
        sessionEndsAt: times.sessionEndsAt,
        counted: since === null ? null : { since: toInstant(since), refreshes: refreshes ?? 0 },
        isUserActive: user.isActive,
      };
      const judgement = judgeToken(presented, now);
      if (judgement === 'reused') await END_ONE.run(tx, { id: sessionId, owner: user.id });
      if (typeof judgement === 'string') return null;
      const next = { family, next: nextDigest, nextExpiresAt: times.expiresAt, sessionId, ...judgement };
      const spent = { digest, now, forgotten: forgottenBefore(now), spentBy: spentBy ?? digest, parent };
      await SPEND_TOKEN.run(tx, { ...spent, ...next });
      return { sessionId, user, ...times };
    });

/** Makes the repository of sessions. Every write of a refresh token holds the lock of its session. */
export const makeSessionRepository = (
  runner: Runner,
  runnerFor: RunnerFor,
  inTransaction: InTransaction,
): SessionRepository => ({
  start: async (session, checked) => {
    const { id, userId, sessionLifetime } = session;
    if (parseUuid(userId) === undefined) return null;
    const locking = runnerFor([userId, userId]);
    const [row] = await START.run(locking, { ...session, checked });
    if (!row) return null;
    await END_EXCESS.run(locking, { id, userId });
    const [storedAt, expiresAt] = [toInstant(row[0]), toInstant(row[1])];
    return { storedAt, expiresAt, sessionEndsAt: addSeconds(storedAt, sessionLifetime) };
  },
  rotate: makeRotate(inTransaction),
  end: async (token) => {
    await END_SESSION.run(runnerFor(['logout', token.family]), token);
  },
  list: async (userId) => {
    const rows = parseUuid(userId) === userId ? await LIST_SESSIONS.run(runner, { userId }) : [];
    return rows.map(toSession);
  },
  findOwner: async (id) => {
    const [row] = parseUuid(id) === id ? await FIND_OWNER.run(runner, { id }) : [];
    return row ? row[0] : null;
  },
  endOne: async (id, owner) => {
    if (parseUuid(id) !== id || parseUuid(owner) !== owner) return false;
    return (await END_ONE.run(runnerFor([owner, id]), { id, owner })).length > 0;
  },
});
