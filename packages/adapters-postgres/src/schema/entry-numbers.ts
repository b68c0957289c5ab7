/** The table's comment says of which cluster the transaction ids are. A backup contains it like the ids themselves. */
const COMMENT = `'Transaction ids of cluster ' || (select system_identifier from pg_control_system())`;

/** An SQL condition: the transaction ids of the audit entries are those of this cluster, and not of the one of a restored backup. */
export const IS_NUMBERED_HERE = `coalesce(obj_description('audit_entry'::regclass, 'pg_class') = ${COMMENT}, false)`;

/**
 * Statements that give each audit entry the id of the transaction that writes it, and all present entries that of this transaction.
 * The default is the same for all rows of a statement, so that PostgreSQL does not rewrite the table.
 */
export const NUMBER_ENTRIES: readonly string[] = [
  'alter table "audit_entry" drop column if exists "xid", add column "xid" xid8 not null default pg_current_xact_id()',
  'create index "audit_entry_history" on "audit_entry" ("division_id", "xid", "id")',
  `create index "audit_entry_left_history" on "audit_entry" ("left_division_id", "xid", "id") where "left_division_id" is not null`,
  `do $$ begin execute format('comment on table "audit_entry" is %L', ${COMMENT}); end $$`,
];
