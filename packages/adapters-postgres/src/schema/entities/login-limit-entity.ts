import { defineEntity, p } from '@mikro-orm/core';

/** The counters of the login and conflict limits. */
export const LoginLimitEntity = defineEntity({
  name: 'LoginLimitEntity',
  tableName: 'login_limit',
  indexes: [{ name: 'login_limit_expire', properties: ['expire'] }],
  properties: {
    key: p.string().length(255).primary(),
    points: p.integer(),
    /** Milliseconds since 1970. */
    expire: p.bigint().nullable(),
    /**
     * SHA-256 of whose attempts are counted, regardless of the network; null for a network and for conflicts. Release 0.1.0
     * leaves it null.
     */
    subject: p.text().nullable(),
  },
});
