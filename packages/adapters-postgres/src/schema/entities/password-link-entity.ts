import { defineEntity, p } from '@mikro-orm/core';
import { UserEntity } from './user-entity.ts';

/**
 * The table of password links, at most one per user. It stores some fields of the user at the creation of the link, so that
 * a change by release 0.1.0 voids the link too.
 */
export const PasswordLinkEntity = defineEntity({
  name: 'PasswordLinkEntity',
  tableName: 'password_link',
  uniques: [{ name: 'password_link_digest_unique', properties: ['digest'] }],
  indexes: [{ name: 'password_link_expires_at', properties: ['expiresAt'] }],
  properties: {
    user: () =>
      p
        .manyToOne(UserEntity)
        .primary()
        .mapToPk()
        .deleteRule('cascade')
        .updateRule('no action')
        .foreignKeyName('password_link_user_id_foreign'),
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
