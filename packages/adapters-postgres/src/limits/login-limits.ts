import { hash } from 'node:crypto';
import {
  CONFLICT_LIMITS,
  type ConflictLimits,
  type Instant,
  LOGIN_LIMITS,
  type LoginLimits,
  type LoginSubject,
  loginSubjectsOf,
  notFound,
  unlockedUser,
} from '@chapter/domain/ports';
import { type Expression, expressionBuilder, sql } from 'kysely';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { type InTransaction, type RunnerFor, rowsOf } from '../connection/transaction.ts';
import { toInstant } from '../schema/mapping.ts';
import { db, type Tables } from '../schema/tables.ts';
import { lockActorAndTarget } from '../users/lock.ts';
import { increment, NOW_MS, rateLimitError } from './counter.ts';

const windowEndMs = sql<number | null>`${sql.ref('expire')}::float8`.as('end');
const build = expressionBuilder<Tables>();

const fullCounter = (key: Expression<string>, limit: Expression<number>) =>
  db
    .selectFrom('login_limit')
    .select('expire')
    .where('key', '=', key)
    .where('points', '>=', sql<number>`${limit}::int`)
    .where('expire', '>', NOW_MS);

/** An attempt; `subject` and its digest are null if only the network counts it, which for a conflict is the user. */
interface Attempt {
  subject: string | null;
  subjectDigest: string | null;
  network: string;
  ofSubject: number;
  ofNetwork: number;
  windowMs: number;
}

const BEGIN = defineStatement(
  'count-attempt',
  (value: Parameters<Attempt>) => {
    const subject = sql<string>`${value('subject')}::text`;
    const hasSubject = sql<boolean>`${subject} is not null`;
    return (
      db
        // Increments the subject's counter first, only if the network's is not full, so that a refusal writes nothing.
        .with('subject', () =>
          increment(
            { key: subject, subject: value('subjectDigest'), limit: value('ofSubject'), windowMs: value('windowMs') },
            build.and([hasSubject, build.not(build.exists(fullCounter(value('network'), value('ofNetwork'))))]),
          ),
        )
        .with('network', (cte) =>
          increment(
            { key: value('network'), limit: value('ofNetwork'), windowMs: value('windowMs') },
            build.or([build.not(hasSubject), build.exists(cte.selectFrom('subject').select('expire'))]),
          ),
        )
        .selectNoFrom((eb) => [
          eb.selectFrom('subject').select(windowEndMs).$asScalar().as('subject_end'),
          eb.selectFrom('network').select(windowEndMs).$asScalar().as('network_end'),
          eb
            .selectFrom(
              fullCounter(subject, value('ofSubject'))
                .unionAll(fullCounter(value('network'), value('ofNetwork')))
                .as('full_counters'),
            )
            .select(sql<number | null>`(max(${sql.ref('expire')}) - ${NOW_MS})::float8`.as('wait'))
            .$asScalar()
            .as('wait'),
        ])
    );
  },
  { columns: ['subject_end', 'network_end', 'wait'] },
);

// The end of the window identifies it: an attempt must not be subtracted from the next window, which did not count it.
const DECREMENT = defineStatement(
  'decrement-login-counter',
  (value: Parameters<{ key: string; windowEnd: number | null }>) =>
    db
      .updateTable('login_limit')
      .set((counter) => ({ points: counter('points', '-', 1) }))
      .where('key', '=', value('key'))
      .where('expire', '=', sql<bigint>`${value('windowEnd')}`)
      .where('points', '>', 0),
);

const CLEAR = defineStatement('clear-login-attempts', (value: Parameters<{ key: string }>) =>
  db.deleteFrom('login_limit').where('key', '=', value('key')),
);

const LOCKED_UNTIL = defineStatement(
  'find-login-lock',
  (value: Parameters<{ subjects: readonly string[]; ofSubject: number }>) =>
    db
      .selectFrom('login_limit')
      .select(sql<Instant | null>`to_timestamp(max(${sql.ref('expire')}) / 1000.0)`.as('until'))
      .where('subject', '=', (eb) => eb.fn.any(value('subjects')))
      .where('points', '>=', sql<number>`${value('ofSubject')}::int`)
      .where('expire', '>', NOW_MS),
  { columns: ['until'] },
);

const UNLOCK = defineStatement(
  'clear-login-attempts-everywhere',
  (value: Parameters<{ subjects: readonly string[] }>) =>
    db
      .with('cleared', (cte) =>
        cte
          .deleteFrom('login_limit')
          .where('subject', '=', (eb) => eb.fn.any(value('subjects')))
          .returning(['points', 'expire']),
      )
      .selectFrom('cleared')
      .select(
        sql<number>`coalesce(sum(${sql.ref('points')}) filter (where ${sql.ref('expire')} > ${NOW_MS}), 0)::int`.as(
          'failures',
        ),
      ),
  { columns: ['failures'] },
);

const digestOf = (...parts: readonly string[]): string => hash('sha256', parts.join('\0'), 'base64url');

// The keys of usernames and networks are the same as in release 0.1.0, so that both releases count together.
const keyOf = (subject: LoginSubject, network: string): string =>
  'username' in subject ? `u:${digestOf(subject.username, network)}` : `p:${digestOf(subject.userId, network)}`;

/** Returns the value of the column `subject` in all counters of a subject. */
export const digestOfSubject = (subject: LoginSubject): string =>
  'username' in subject ? digestOf('u', subject.username) : digestOf('p', subject.userId);

/** Makes limits of logins. PostgreSQL counts, so that all instances share the limits. */
export const makeLoginLimits = (
  runner: Runner,
  runnerFor: RunnerFor,
  inTransaction: InTransaction,
  writeAudit: WriteAudit,
): LoginLimits => ({
  begin: async (subject, network) => {
    const [ofSubject, ofNetwork] = [subject && keyOf(subject, network), `n:${digestOf(network)}`];
    const runner = runnerFor([ofNetwork, ofSubject ?? ofNetwork]);
    const { windowSeconds, ...limits } = LOGIN_LIMITS;
    const [row] = await BEGIN.run(runner, {
      subject: ofSubject,
      subjectDigest: subject && digestOfSubject(subject),
      network: ofNetwork,
      ...limits,
      windowMs: windowSeconds * 1000,
    });
    const [subjectEnd = null, networkEnd = null, wait = null] = row ?? [];
    const decrementSubject = async (): Promise<void> => {
      if (ofSubject !== null && subjectEnd !== null)
        await DECREMENT.run(runner, { key: ofSubject, windowEnd: subjectEnd });
    };
    const decrementNetwork = async (): Promise<void> => {
      await DECREMENT.run(runner, { key: ofNetwork, windowEnd: networkEnd });
    };
    if (networkEnd === null) {
      // A concurrent attempt reached the network's limit after this statement had read the network's counter.
      await decrementSubject();
      throw rateLimitError(wait, windowSeconds);
    }
    return {
      succeeded: async () => {
        if (ofSubject !== null) await CLEAR.run(runner, { key: ofSubject });
        await decrementNetwork();
      },
      withdraw: async () => {
        await decrementSubject();
        await decrementNetwork();
      },
    };
  },

  clear: async (user, network) => {
    for (const key of loginSubjectsOf(user).map((subject) => keyOf(subject, network))) {
      await CLEAR.run(runnerFor([key, key]), { key });
    }
  },

  lockedUntil: async (user) => {
    const { ofSubject } = LOGIN_LIMITS;
    const [row] = await LOCKED_UNTIL.run(runner, { subjects: loginSubjectsOf(user).map(digestOfSubject), ofSubject });
    return row?.[0] ? toInstant(row[0]) : null;
  },

  unlock: (author, id) =>
    inTransaction(rowsOf(author, id), async (tx) => {
      const { target } = await lockActorAndTarget(tx, null, id);
      if (!target) throw notFound();
      const [row] = await UNLOCK.run(tx, { subjects: loginSubjectsOf(target.user).map(digestOfSubject) });
      const failures = row?.[0] ?? 0;
      const audited = unlockedUser(target.user, failures);
      if (audited) writeAudit(tx, author, audited);
      return failures;
    }),
});

/** Makes limits of conflicts. PostgreSQL counts, so that all instances share the limits. */
export const makeConflictLimits = (runnerFor: RunnerFor): ConflictLimits => ({
  count: async (userId) => {
    const { ofUser, windowSeconds } = CONFLICT_LIMITS;
    const network = `c:${userId}`;
    const limits = { ofSubject: 0, ofNetwork: ofUser, windowMs: windowSeconds * 1000 };
    const noSubject = { subject: null, subjectDigest: null };
    const [row] = await BEGIN.run(runnerFor([userId, network]), { ...noSubject, network, ...limits });
    const [, end = null, wait = null] = row ?? [];
    if (end === null) throw rateLimitError(wait, windowSeconds);
  },
});
