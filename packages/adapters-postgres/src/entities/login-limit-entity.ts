import { defineEntity, p } from '@mikro-orm/core';

/** The table of the login limits. Its columns and their order are what rate-limiter-flexible expects. */
export const LoginLimitEntity = defineEntity({
  name: 'LoginLimitEntity',
  tableName: 'login_limit',
  indexes: [{ name: 'login_limit_expire', properties: ['expire'] }],
  properties: {
    key: p.string().length(255).primary(),
    points: p.integer(),
    /** Milliseconds since 1970. */
    expire: p.bigint().nullable(),
  },
});
