import type { AuditAction, AuditEntry } from '@chapter/domain';
import { defineEntity, p } from '@mikro-orm/core';

/** The table of the audit trail. It has no foreign keys, because entries outlive the rows that they are about. */
export const AuditEntryEntity = defineEntity({
  name: 'AuditEntryEntity',
  tableName: 'audit_entry',
  indexes: [
    { name: 'audit_entry_at', properties: ['at', 'id'] },
    { name: 'audit_entry_author_id', properties: ['authorId', 'at'] },
    { name: 'audit_entry_target_id', properties: ['targetId', 'at'] },
    { name: 'audit_entry_division_id', properties: ['divisionId', 'at'] },
    // Finds moves by the old division. The column `division_id` contains the new one.
    {
      name: 'audit_entry_left_division',
      expression: `create index "audit_entry_left_division" on "audit_entry"
        ((changes -> 'division' -> 'old' ->> 'id'), "at") where action = 'moveUser'`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    at: p.string().columnType('timestamptz(3)'),
    action: p.text().$type<AuditAction>(),
    authorId: p.uuid().nullable(),
    authorName: p.text(),
    requestId: p.text().nullable(),
    targetType: p.text().$type<AuditEntry['targetType']>(),
    targetId: p.uuid(),
    divisionId: p.uuid(),
    changes: p.json<AuditEntry['changes']>().columnType('json'),
  },
});
