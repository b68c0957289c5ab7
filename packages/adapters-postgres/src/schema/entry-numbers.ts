/** The table's comment says of which cluster the transaction ids are. A backup contains it like the ids themselves. */
const COMMENT = `'Transaction ids of cluster ' || (select system_identifier from pg_control_system())`;

const STORED_COMMENT = `obj_description('audit_entry'::regclass, 'pg_class')`;

/** An SQL condition: the table was not restored with the transaction ids of another cluster. */
export const IS_NUMBERED_HERE = `coalesce(starts_with(${STORED_COMMENT}, ${COMMENT}), false)`;

/** An SQL condition: no transaction of this cluster wrote the audit entry, which was copied from another one. */
export const IS_FOREIGN = 'xid >= pg_snapshot_xmax(pg_current_snapshot())';

/**
 * An SQL expression: what a position in the feed of changes is valid for. A restore of a dump makes another file of the table; a
 * recovery and a failover begin another timeline, at the latest with its first checkpoint; {@link END_EPOCH} changes the comment.
 */
export const EPOCH = `(select left(md5(concat_ws(' ', ${STORED_COMMENT}, pg_relation_filepath('audit_entry'), timeline_id)), 8)
  from pg_control_checkpoint())`;

const commentWith = (suffix: string): string =>
  `do $$ begin execute format('comment on table "audit_entry" is %L', ${COMMENT}${suffix}); end $$`;

/** A statement that makes all positions in the feed invalid. */
export const END_EPOCH = commentWith(` || ', without those before ' || pg_current_xact_id()`);

/**
 * Statements that give each audit entry the id of the transaction that writes it, and all present entries that of this
 * transaction. The default is the same for all rows of a statement, so that PostgreSQL does not rewrite the table.
 */
export const NUMBER_ENTRIES: readonly string[] = [
  'alter table "audit_entry" drop column if exists "xid", add column "xid" xid8 not null default pg_current_xact_id()',
  'create index "audit_entry_history" on "audit_entry" ("division_id", "xid", "id")',
  `create index "audit_entry_left_history" on "audit_entry" ("left_division_id", "xid", "id") where "left_division_id" is not null`,
  commentWith(''),
];
