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
     * SHA-256 of the username or user id whose attempts are counted, the same for all networks. Null in the counters of
     * networks and conflicts, and in those of release 0.1.0.
     */
    subject: p.text().nullable(),
  },
});
