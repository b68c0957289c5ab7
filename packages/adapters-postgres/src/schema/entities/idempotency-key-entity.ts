import type { User } from '@chapter/domain';
import { defineEntity, p } from '@mikro-orm/core';

/** The table of idempotency keys, with the stored responses. */
export const IdempotencyKeyEntity = defineEntity({
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
