import { defineEntity, p } from '@mikro-orm/core';
import { keyOfUser, UserEntity } from './user-entity.ts';

/** The table of sessions. */
export const SessionEntity = defineEntity({
  name: 'SessionEntity',
  tableName: 'session',
  indexes: [
    { name: 'session_user_id', properties: ['user'] },
    { name: 'session_expires_at', properties: ['expiresAt'] },
    { name: 'session_family', expression: 'create unique index "session_family" on "session" ("family")' },
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
    /** The digest of what its refresh tokens share; null before the first refresh. Release 0.1.0 does not change it. */
    family: p.text().nullable(),
    /** When the window began in which its refreshes are counted, and their number; null before the first refresh. */
    countedSince: p.string().columnType('timestamptz(3)').nullable(),
    refreshes: p.integer().nullable(),
  },
});

/** The table of refresh tokens, by their digests. */
export const RefreshTokenEntity = defineEntity({
  name: 'RefreshTokenEntity',
  tableName: 'refresh_token',
  indexes: [
    { name: 'refresh_token_session_id', properties: ['sessionId'] },
    { name: 'refresh_token_expires_at', properties: ['expiresAt'] },
    { name: 'refresh_token_parent', properties: ['parent'] },
  ],
  properties: {
    digest: p.text().primary(),
    /** Not a foreign key, so that the end of a session takes the same time with any number of tokens. */
    sessionId: p.uuid(),
    /** When it or the first of its siblings was consumed. */
    spentAt: p.string().columnType('timestamptz(3)').nullable(),
    expiresAt: p.string().columnType('timestamptz(3)'),
    /** The `spentBy` of the token that was exchanged for it, the same for all siblings; null for a first token. */
    parent: p.text().nullable(),
    /** The digest of the first of the siblings that was consumed. Release 0.1.0 leaves it null. */
    spentBy: p.text().nullable(),
  },
});

/** The table of personal access tokens, by the digests of their secrets. */
export const PersonalTokenEntity = defineEntity({
  name: 'PersonalTokenEntity',
  tableName: 'personal_token',
  uniques: [{ name: 'personal_token_digest_unique', properties: ['digest'] }],
  indexes: [
    { name: 'personal_token_user_id', properties: ['user'] },
    { name: 'personal_token_expires_at', properties: ['expiresAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    user: () =>
      p.manyToOne(UserEntity).mapToPk().deleteRule('cascade').foreignKeyName('personal_token_user_id_foreign'),
    /** Chosen by the user. */
    name: p.text(),
    digest: p.text(),
    isReadOnly: p.boolean(),
    createdAt: p.string().columnType('timestamptz(3)'),
    expiresAt: p.string().columnType('timestamptz(3)'),
    /** The day of its last use, in UTC; null before the first. */
    lastUsedOn: p.string().columnType('date').nullable(),
  },
});

/**
 * The table of password links, at most one per user. It stores some fields of the user at the creation of the link, so
 * that a change by release 0.1.0 voids the link too.
 */
export const PasswordLinkEntity = defineEntity({
  name: 'PasswordLinkEntity',
  tableName: 'password_link',
  uniques: [{ name: 'password_link_digest_unique', properties: ['digest'] }],
  indexes: [{ name: 'password_link_expires_at', properties: ['expiresAt'] }],
  properties: {
    user: keyOfUser('password_link_user_id_foreign'),
    digest: p.text(),
    /** Null for the operator. Not a foreign key: the link of a deleted issuer must not become one of the operator. */
    issuerId: p.uuid().nullable(),
    divisionId: p.uuid(),
    isStaff: p.boolean(),
    isSuperuser: p.boolean(),
    /** SHA-256 of the user's hash, in hexadecimal; null without a password. */
    passwordFingerprint: p.text().nullable().hidden(),
    expiresAt: p.string().columnType('timestamptz(3)'),
  },
});
