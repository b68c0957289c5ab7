import type { AuditAction, AuditEntry, User } from '@chapter/domain/ports';
import { defineEntity, p } from '@mikro-orm/core';
import { PasswordLinkEntity, PersonalTokenEntity, RefreshTokenEntity, SessionEntity } from './session-entity.ts';
import { DivisionEntity, UserActivityEntity, UserEntity } from './user-entity.ts';

const LoginLimitEntity = defineEntity({
  name: 'LoginLimitEntity',
  tableName: 'login_limit',
  indexes: [{ name: 'login_limit_expire', properties: ['expire'] }],
  properties: {
    key: p.string().length(255).primary(),
    points: p.integer(),
    /** Milliseconds since 1970. */
    expire: p.bigint().nullable(),
    /**
     * SHA-256 of the username or user id whose attempts are counted, the same for all networks. Null in the counters of
     * networks and conflicts, and in those of release 0.1.0.
     */
    subject: p.text().nullable(),
  },
});

const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKeyEntity',
  tableName: 'idempotency_key',
  indexes: [{ name: 'idempotency_key_created_at', properties: ['createdAt'] }],
  properties: {
    /** The author's id, or the empty text for the operator. */
    author: p.text().primary(),
    key: p.text().primary(),
    request: p.text(),
    /** Written by release 0.1.0 only; such rows are purged after 24 hours. */
    passwordHash: p.text().nullable().hidden(),
    /** SHA-256 of the hash that the creation stored with the user, in hexadecimal. */
    passwordFingerprint: p.text().nullable().hidden(),
    /** The user in the response to the first request. */
    answer: p.json<User>().columnType('json'),
    createdAt: p.string().columnType('timestamptz(3)'),
  },
});

/** The table of the audit trail. It has no foreign keys, because entries outlive the rows that they are about. */
const AuditEntryEntity = defineEntity({
  name: 'AuditEntryEntity',
  tableName: 'audit_entry',
  indexes: [
    { name: 'audit_entry_at', properties: ['at', 'id'] },
    { name: 'audit_entry_author_id', properties: ['authorId', 'at'] },
    { name: 'audit_entry_target_id', properties: ['targetId', 'at'] },
    // The history of a division, also of users who left it.
    { name: 'audit_entry_history', properties: ['divisionId', 'xid', 'id'] },
    {
      name: 'audit_entry_left_history',
      expression: `create index "audit_entry_left_history" on "audit_entry" ("left_division_id", "xid", "id") where "left_division_id" is not null`,
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
    leftDivisionId: p.uuid().nullable(),
    /** The transaction that wrote the entry, by default the present one. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
});

/** All tables that the migrations create. */
export const entities = [
  DivisionEntity,
  UserEntity,
  SessionEntity,
  RefreshTokenEntity,
  IdempotencyKeyEntity,
  AuditEntryEntity,
  LoginLimitEntity,
  PasswordLinkEntity,
  UserActivityEntity,
  PersonalTokenEntity,
];
