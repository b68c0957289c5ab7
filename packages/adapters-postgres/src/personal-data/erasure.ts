import {
  type AuditEntry,
  ERASED_NAME,
  type Erasure,
  type Instant,
  NO_TARGET,
  notFound,
  parseUuid,
  pruningAudit,
  type User,
  type UserId,
  userAudit,
} from '@chapter/domain/ports';
import { type CommonTableExpression, type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import type { RunTransaction } from '../connection/transaction.ts';
import { END_EPOCH } from '../schema/entry-numbers.ts';
import { db, type Tables } from '../schema/tables.ts';
import { endOneOrAll } from '../users/end-sessions.ts';
import { lockUser } from '../users/lock.ts';
import { DELETE_USER } from '../users/user-repository.ts';
import { findSubjects } from './personal-data.ts';

const count = sql<number>`count(*)::int`.as('count');

/** Defines a statement that writes rows and returns their number. `build` returns any column of each written row. */
const defineCounted = <Values>(
  name: string,
  build: (value: Parameters<Values>) => CommonTableExpression<Tables, 'written'>,
) =>
  defineStatement(
    name,
    (value: Parameters<Values>) => db.with('written', build(value)).selectFrom('written').select(count),
    { columns: ['count'] },
  );

const build = expressionBuilder<Tables, 'audit_entry'>();
const isAuthor = (id: Expression<UserId>) => build('author_id', '=', id);
const isTarget = (id: Expression<UserId>) => build('target_id', '=', id).and('target_type', '=', sql.lit('user'));

const WITHOUT_VALUES = sql<AuditEntry['changes']>`coalesce(
  (select json_object_agg(c.key, json '{"old":null,"new":null}') from json_each(${sql.ref('changes')}) c), '{}')`;

const HAS_VALUES = sql<SqlBool>`exists (
  select from json_each(${sql.ref('changes')}) c where coalesce(c.value ->> 'old', c.value ->> 'new') is not null)`;

/** Erases a user's data in the entries with the user as author or target. Returns the number of changed entries. */
const ERASE_ENTRIES = defineCounted('erase-audit-entries', (value: Parameters<{ id: UserId }>) =>
  db
    .updateTable('audit_entry')
    .set((eb) => ({
      // The client chose the request id.
      request_id: null,
      author_name: eb
        .case()
        .when(isAuthor(value('id')))
        .then(sql.lit(ERASED_NAME))
        .else(eb.ref('author_name'))
        .end(),
      changes: eb
        .case()
        .when(isTarget(value('id')))
        .then(WITHOUT_VALUES)
        .else(eb.ref('changes'))
        .end(),
    }))
    .where((eb) =>
      eb.or([
        isAuthor(value('id')).and(eb('author_name', '<>', sql.lit(ERASED_NAME)).or('request_id', 'is not', null)),
        isTarget(value('id')).and(eb.or([HAS_VALUES, eb('request_id', 'is not', null)])),
      ]),
    )
    .returning('id'),
);

/** Finds the division of the newest entry with a user as author or target. */
const LAST_DIVISION = defineStatement(
  'find-last-division',
  (value: Parameters<{ id: UserId }>) =>
    db
      .selectFrom('audit_entry')
      .select('division_id')
      .where((eb) => eb.or([isAuthor(value('id')), isTarget(value('id'))]))
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(sql.lit(1)),
  { columns: ['division_id'] },
);

const isResponseAbout = (id: Expression<UserId>) => sql<SqlBool>`${sql.ref('answer')} ->> 'id' = ${id}::text`;

/**
 * Deletes the idempotency keys that a user sent. Also deletes the key of the request that created the user if it
 * contains one of the names: the client may have derived the key from a name.
 */
const DELETE_KEYS = defineCounted(
  'delete-keys-of-user',
  (value: Parameters<{ id: UserId; names: readonly string[] }>) =>
    db
      .deleteFrom('idempotency_key')
      .where((eb) =>
        eb('author', '=', sql<string>`${value('id')}::text`).or(
          eb.and([
            isResponseAbout(value('id')),
            sql<SqlBool>`exists (select from unnest(${value('names')}::text[]) name where strpos(lower(${sql.ref('key')}), name) > 0)`,
          ]),
        ),
      )
      .returning('key'),
);

/** Empties the other responses to the creation of a user. No request equals the empty text, so a repeat is a conflict. */
const EMPTY_RESPONSES = defineCounted('empty-responses', (value: Parameters<{ id: UserId }>) =>
  db
    .updateTable('idempotency_key')
    .set({
      request: '',
      answer: sql<User>`json_build_object('id', ${value('id')}::text)`,
      password_hash: null,
      password_fingerprint: null,
    })
    .where(isResponseAbout(value('id')))
    .where('request', '<>', '')
    .returning('key'),
);

/** Deletes the counters of a user, and all counters of usernames that release 0.1.0 wrote: they do not name their user. */
const DELETE_COUNTERS = defineCounted(
  'delete-counters-of-user',
  (value: Parameters<{ id: UserId; digests: readonly string[] }>) =>
    db
      .deleteFrom('login_limit')
      .where((eb) =>
        eb.or([
          eb('subject', '=', eb.fn.any(value('digests'))),
          eb('key', '=', sql<string>`'c:' || ${value('id')}::text`),
          eb('subject', 'is', null).and('key', 'like', sql.lit('u:%')),
        ]),
      )
      .returning('key'),
);

/** Deletes the links that a user created for others, void without the issuer. An import locks them in the same order. */
const DELETE_ISSUED_LINKS = defineStatement('delete-issued-links', (value: Parameters<{ id: UserId }>) =>
  db
    .deleteFrom('password_link')
    .where('user_id', 'in', (eb) =>
      eb
        .selectFrom('password_link')
        .select('user_id')
        .where('issuer_id', '=', value('id'))
        .orderBy('user_id')
        .forUpdate(),
    ),
);

/**
 * Deletes the audit entries before an instant. Returns their number, and whether another entry precedes one of them in
 * the feed of changes, or may still: transactions write neither in the order of their clocks nor of their ends.
 */
const PRUNE = defineStatement(
  'prune-audit',
  (value: Parameters<{ before: Instant }>) =>
    db
      .with('pruned', (cte) => cte.deleteFrom('audit_entry').where('at', '<', value('before')).returning(['xid', 'id']))
      .selectFrom('pruned')
      .select([
        count,
        sql<boolean>`(select xid >= pg_snapshot_xmin(pg_current_snapshot())
            or exists (select from audit_entry e where at >= ${value('before')} and (e.xid, e.id) < (newest.xid, newest.id))
          from (select xid, id from pruned order by xid desc, id desc limit 1) as newest)`.as('leaves_gap'),
      ]),
  { columns: ['count', 'leaves_gap'] },
);

/**
 * Makes the statement that analyzes all tables, because the planner's statistics contain values of rows. It waits for
 * sessions that analyze a table: they may have sampled the user. PostgreSQL cancels an autovacuum that blocks it.
 */
const makeAnalyzeStatement = async (): Promise<string> => {
  // Loaded by the first erasure, because a start does not need MikroORM, and before its transaction locks rows.
  const { entities } = await import('../schema/entities/index.ts');
  return `analyze ${entities.map(({ meta }) => meta.tableName).join(', ')}`;
};

const total = (...results: readonly (readonly (readonly [count: number])[])[]): number =>
  results.flat().reduce((sum, [count]) => sum + count, 0);

/**
 * Erases data in PostgreSQL. Works only as the owner of the tables. Every transaction that writes about a user, or as the
 * user, locks the user first. So it either ends before the erasure reads, or waits for the erasure and then finds no user.
 */
export const makeErasure = (runTransaction: RunTransaction, writeAudit: WriteAudit): Erasure => ({
  eraseUser: async (author, id, permit) => {
    const text = await makeAnalyzeStatement();
    return runTransaction(async (tx) => {
      if (parseUuid(id) !== id) throw notFound();
      const locked = (await lockUser(tx, author, { id }))?.locked ?? null;
      permit(locked);
      const user = locked?.user ?? null;
      const [last] = await LAST_DIVISION.run(tx, { id });
      const { digests, names } = await findSubjects(tx, id, user);
      const erased = {
        sessions: await endOneOrAll(tx, id, null),
        auditEntries: total(await ERASE_ENTRIES.run(tx, { id })),
        storedResponses: total(await DELETE_KEYS.run(tx, { id, names }), await EMPTY_RESPONSES.run(tx, { id })),
        counters: total(await DELETE_COUNTERS.run(tx, { id, digests })),
      };
      if (!user && Object.values(erased).every((count) => count === 0)) throw notFound();
      await DELETE_ISSUED_LINKS.run(tx, { id });
      await DELETE_USER.run(tx, { id });
      const division = user?.division ?? { id: last?.[0] ?? NO_TARGET };
      writeAudit(tx, author, userAudit('eraseUser', { id, division }));
      await tx.query({ text }, []);
      return erased;
    });
  },

  pruneAudit: async (author, before) => {
    const text = await makeAnalyzeStatement();
    return runTransaction(async (tx) => {
      const [[count, leavesGap] = [0, false]] = await PRUNE.run(tx, { before });
      if (leavesGap) await tx.query({ text: END_EPOCH }, []);
      writeAudit(tx, author, pruningAudit(before, count));
      await tx.query({ text }, []);
      return count;
    });
  },
});
