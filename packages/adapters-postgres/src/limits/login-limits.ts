import { createHash } from 'node:crypto';
import {
  type Instant,
  LOGIN_LIMITS,
  type LoginAttempt,
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

interface Attempt {
  subject: string;
  subjectDigest: string;
  network: string;
  ofSubject: number;
  ofNetwork: number;
  windowMs: number;
}

const BEGIN = defineStatement(
  'begin-login-attempt',
  (value: Parameters<Attempt>) =>
    db
      // Increments the subject's counter first, and only if the network's is not full, so that a refusal writes nothing.
      .with('subject', () =>
        increment(
          {
            key: value('subject'),
            subject: value('subjectDigest'),
            limit: value('ofSubject'),
            windowMs: value('windowMs'),
          },
          build.not(build.exists(fullCounter(value('network'), value('ofNetwork')))),
        ),
      )
      .with('network', (cte) =>
        increment(
          { key: value('network'), limit: value('ofNetwork'), windowMs: value('windowMs') },
          build.exists(cte.selectFrom('subject').select('expire')),
        ),
      )
      .selectNoFrom((eb) => [
        eb.selectFrom('subject').select(windowEndMs).$asScalar().as('subject_end'),
        eb.selectFrom('network').select(windowEndMs).$asScalar().as('network_end'),
        eb
          .selectFrom(
            fullCounter(value('subject'), value('ofSubject'))
              .unionAll(fullCounter(value('network'), value('ofNetwork')))
              .as('full_counters'),
          )
          .select(sql<number | null>`(max(${sql.ref('expire')}) - ${NOW_MS})::float8`.as('wait'))
          .$asScalar()
          .as('wait'),
      ]),
  { columns: ['subject_end', 'network_end', 'wait'] },
);

const BEGIN_OF_NETWORK = defineStatement(
  'begin-network-attempt',
  (value: Parameters<Pick<Attempt, 'network' | 'ofNetwork' | 'windowMs'>>) =>
    db
      .with('network', () =>
        increment({ key: value('network'), limit: value('ofNetwork'), windowMs: value('windowMs') }),
      )
      .selectNoFrom((eb) => [
        eb.selectFrom('network').select(windowEndMs).$asScalar().as('network_end'),
        eb
          .selectFrom(fullCounter(value('network'), value('ofNetwork')).as('full_counter'))
          .select(sql<number | null>`(${sql.ref('expire')} - ${NOW_MS})::float8`.as('wait'))
          .$asScalar()
          .as('wait'),
      ]),
  { columns: ['network_end', 'wait'] },
);

// The end of the window identifies it: an attempt must not be subtracted from the next window, where it was not counted.
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

const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('base64url');

// The keys of usernames and networks are the same as in release 0.1.0, so that both releases count together.
const keyOf = (subject: LoginSubject, network: string): string =>
  'username' in subject ? `u:${digestOf(subject.username, network)}` : `p:${digestOf(subject.userId, network)}`;

/** Returns the value of the column `subject` in all counters of a subject. */
export const digestOfSubject = (subject: LoginSubject): string =>
  'username' in subject ? digestOf('u', subject.username) : digestOf('p', subject.userId);

const beginOfNetwork = async (runnerFor: RunnerFor, network: string): Promise<LoginAttempt> => {
  const { ofNetwork, windowSeconds } = LOGIN_LIMITS;
  const key = `n:${digestOf(network)}`;
  const runner = runnerFor([key, key]);
  const [row] = await BEGIN_OF_NETWORK.run(runner, { network: key, ofNetwork, windowMs: windowSeconds * 1000 });
  const [windowEnd = null, wait = null] = row ?? [];
  if (windowEnd === null) throw rateLimitError(wait, windowSeconds);
  const withdraw = async () => void (await DECREMENT.run(runner, { key, windowEnd }));
  return { succeeded: withdraw, withdraw };
};

/** Makes limits of logins. PostgreSQL counts, so that all instances share the limits. */
export const makeLoginLimits = (
  runner: Runner,
  runnerFor: RunnerFor,
  inTransaction: InTransaction,
  writeAudit: WriteAudit,
): LoginLimits => ({
  begin: async (subject, network) => {
    if (subject === null) return beginOfNetwork(runnerFor, network);
    const [ofSubject, ofNetwork] = [keyOf(subject, network), `n:${digestOf(network)}`];
    const runner = runnerFor([ofNetwork, ofSubject]);
    const { windowSeconds } = LOGIN_LIMITS;
    const limits = {
      ofSubject: LOGIN_LIMITS.ofSubject,
      ofNetwork: LOGIN_LIMITS.ofNetwork,
      windowMs: windowSeconds * 1000,
    };
    const [row] = await BEGIN.run(runner, {
      subject: ofSubject,
      subjectDigest: digestOfSubject(subject),
      network: ofNetwork,
      ...limits,
    });
    const [subjectEnd = null, networkEnd = null, wait = null] = row ?? [];
    if (networkEnd === null) {
      // A concurrent attempt reached the network's limit after this statement had read the network's counter.
      if (subjectEnd !== null) await DECREMENT.run(runner, { key: ofSubject, windowEnd: subjectEnd });
      throw rateLimitError(wait, windowSeconds);
    }
    return {
      succeeded: async () => {
        await CLEAR.run(runner, { key: ofSubject });
        await DECREMENT.run(runner, { key: ofNetwork, windowEnd: networkEnd });
      },
      withdraw: async () => {
        await DECREMENT.run(runner, { key: ofSubject, windowEnd: subjectEnd });
        await DECREMENT.run(runner, { key: ofNetwork, windowEnd: networkEnd });
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
