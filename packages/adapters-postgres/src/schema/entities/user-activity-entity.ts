import { defineEntity, p } from '@mikro-orm/core';
import { UserEntity } from './user-entity.ts';

/**
 * The table of the days on which users last logged in or refreshed a session. It is separate from the users, because activity
 * does not change a user's revision. A user without a row has not logged in; release 0.1.0 writes no rows.
 */
export const UserActivityEntity = defineEntity({
  name: 'UserActivityEntity',
  tableName: 'user_activity',
  properties: {
    user: () =>
      p
        .manyToOne(UserEntity)
        .primary()
        .mapToPk()
        .deleteRule('cascade')
        .updateRule('no action')
        .foreignKeyName('user_activity_user_id_foreign'),
    /** A day in UTC. */
    lastActiveOn: p.string().columnType('date'),
  },
});
