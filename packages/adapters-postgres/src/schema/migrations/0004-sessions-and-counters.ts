import { Migration } from '@mikro-orm/migrations';

/** Runs a statement in a transaction of its own, without time limits. */
export type RunAlone = <Row>(text: string) => Promise<readonly Row[]>;

/** How many consumed tokens of each session remain, so that their reuse still ends it. Older ones are only refused. */
const MAX_CONSUMED_TOKENS = 100;
const MAX_ROWS_PER_BATCH = 10_000;

/** Deletes the consumed tokens that release 0.1.0 stored without limit. Skips rows that requests hold. */
const reduceTokens = async (run: RunAlone): Promise<void> => {
  const consumed = '"spent_at" < now() - interval \'1 minute\'';
  const sessions = await run<{ readonly id: string }>(`select "session_id" as "id" from "refresh_token"
    where ${consumed} group by "session_id" having count(*) > ${MAX_CONSUMED_TOKENS}`);
  for (const { id } of sessions) {
    const ofSession = `from "refresh_token" where "session_id" = '${id}' and ${consumed}`;
    const [newest] = await run<{ readonly at: string }>(
      `select "spent_at"::text as "at" ${ofSession} order by "spent_at" desc offset ${MAX_CONSUMED_TOKENS - 1} limit 1`,
    );
    const batch = `select "digest" ${ofSession} and "spent_at" < '${newest?.at ?? '-infinity'}'
      limit ${MAX_ROWS_PER_BATCH} for update skip locked`;
    for (let rows = MAX_ROWS_PER_BATCH; rows === MAX_ROWS_PER_BATCH; ) {
      rows = (await run(`delete from "refresh_token" where "digest" in (${batch}) returning 1`)).length;
    }
  }
};

/** Locks the tables in the order in which requests do. All changes of this migration are brief. */
const LOCK = 'lock table "session", "refresh_token", "idempotency_key", "login_limit"';

/**
 * Adds the columns of sessions, refresh tokens, stored responses and counters; release 0.1.0 leaves them null. Drops the foreign
 * key of tokens, so that the end of a session deletes no tokens.
 */
export class SessionsAndCounters extends Migration {
  static readonly prepare = reduceTokens;

  override up(): void {
    this.addSql(LOCK);
    this.addSql(`alter table "session"
      add column "refreshed_at" timestamptz(3) null,
      add column "user_agent" text null,
      add column "family" text null,
      add column "counted_since" timestamptz(3) null,
      add column "refreshes" int null`);
    this.addSql(`alter table "refresh_token"
      add column "parent" text null,
      add column "spent_by" text null,
      drop constraint "refresh_token_session_id_foreign"`);
    this.addSql('alter table "idempotency_key" add column "password_fingerprint" text null');
    this.addSql('alter table "login_limit" add column "subject" text null');
  }

  override down(): void {
    this.addSql(LOCK);
    this.addSql(
      'delete from "refresh_token" t where not exists (select from "session" s where s."id" = t."session_id")',
    );
    this.addSql('alter table "login_limit" drop column "subject"');
    this.addSql('alter table "idempotency_key" drop column "password_fingerprint"');
    this.addSql(`alter table "refresh_token"
      drop column "parent",
      drop column "spent_by",
      add constraint "refresh_token_session_id_foreign"
        foreign key ("session_id") references "session" ("id") on delete cascade`);
    this.addSql(`alter table "session"
      drop column "refreshed_at",
      drop column "user_agent",
      drop column "family",
      drop column "counted_since",
      drop column "refreshes"`);
  }
}
