import { defineEntity, p } from '@mikro-orm/core';
import { UserEntity } from './user-entity.ts';

/** The table of sessions. */
export const SessionEntity = defineEntity({
  name: 'SessionEntity',
  tableName: 'session',
  indexes: [
    { name: 'session_user_id', properties: ['user'] },
    { name: 'session_expires_at', properties: ['expiresAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).mapToPk().deleteRule('cascade').foreignKeyName('session_user_id_foreign'),
    startedAt: p.string().columnType('timestamptz(3)'),
    /** When the last of its refresh tokens expires. */
    expiresAt: p.string().columnType('timestamptz(3)'),
    /** When it was last refreshed; null before the first refresh. Release 0.1.0 does not change it. */
    refreshedAt: p.string().columnType('timestamptz(3)').nullable(),
    /** The `User-Agent` header of the login, shortened. Release 0.1.0 leaves it null. */
    userAgent: p.text().nullable(),
    /** Reserved for the position in the write-ahead log that a replica must reach before it serves the session. Always null. */
    position: p.string().columnType('pg_lsn').nullable(),
  },
});

/** The table of refresh tokens, by their digests. */
export const RefreshTokenEntity = defineEntity({
  name: 'RefreshTokenEntity',
  tableName: 'refresh_token',
  indexes: [
    { name: 'refresh_token_session_id', properties: ['session'] },
    { name: 'refresh_token_expires_at', properties: ['expiresAt'] },
    { name: 'refresh_token_parent', properties: ['parent'] },
  ],
  properties: {
    digest: p.text().primary(),
    session: () =>
      p.manyToOne(SessionEntity).mapToPk().deleteRule('cascade').foreignKeyName('refresh_token_session_id_foreign'),
    /** When it or the first of its siblings was consumed. */
    spentAt: p.string().columnType('timestamptz(3)').nullable(),
    expiresAt: p.string().columnType('timestamptz(3)'),
    /** The `spentBy` of the token that was exchanged for it, the same for all siblings; null for the first token of a session. */
    parent: p.text().nullable(),
    /** The digest of the first of the siblings that was consumed. Release 0.1.0 leaves it null. */
    spentBy: p.text().nullable(),
  },
});
