import { GROUPS } from '@chapter/domain';
import { defineEntity, type Opt, p } from '@mikro-orm/core';
import { divisionIndexes, indexesOfEntity, userIndexes } from '../indexes.ts';

/** The table of divisions. */
export const DivisionEntity = defineEntity({
  name: 'DivisionEntity',
  tableName: 'division',
  ...indexesOfEntity('division', divisionIndexes, { name_key: 'nameKey' }),
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    nameKey: p.text().collation('C'),
    logo: p.text().nullable(),
    logoKey: p.text().collation('C').nullable(),
    fanpage: p.text().nullable(),
    fanpageKey: p.text().collation('C').nullable(),
    /** Incremented by each change. The revision of the division. */
    version: p.integer().version(),
    /** Incremented by each change of the name. Part of the revisions of the division's users. */
    nameVersion: p.integer().default(1),
  },
});

/** The table of users. Key columns contain case-folded texts (`foldCase` of the domain), by which texts are compared. */
export const UserEntity = defineEntity({
  name: 'UserEntity',
  tableName: 'user_account',
  ...indexesOfEntity('user_account', userIndexes, { username_key: 'usernameKey', email_key: 'emailKey' }),
  properties: {
    id: p.uuid().primary(),
    username: p.text(),
    usernameKey: p.text().collation('C'),
    email: p.text().nullable(),
    emailKey: p.text().collation('C').nullable(),
    firstName: p.text(),
    firstNameKey: p.text().collation('C'),
    lastName: p.text(),
    lastNameKey: p.text().collation('C'),
    division: () => p.manyToOne(DivisionEntity).mapToPk().foreignKeyName('user_account_division_id_foreign'),
    groups: p.enum(GROUPS).nativeEnumName('member_group').array(),
    birthdate: p.string().columnType('date').nullable(),
    isActive: p.boolean(),
    isStaff: p.boolean(),
    isSuperuser: p.boolean(),
    dateJoined: p.string().columnType('timestamptz(3)'),
    passwordHash: p.text().nullable().hidden(),
    /** Incremented by each change. The revision of the user consists of it and the division's name version. */
    version: p.integer().version(),
    /** All searched fields, separated by U+0001. A word that contains it matches no row. */
    search: p
      .text()
      .$type<Opt<string>>()
      .collation('C')
      .generated(
        `("username_key" || E'\\x01' || coalesce("email_key", '') || E'\\x01' || "first_name_key" || E'\\x01' || "last_name_key") stored`,
      ),
  },
});

/** Makes the primary key of rows that each user has at most one of. They are deleted with the user. */
export const keyOfUser = (foreignKey: string) => () =>
  p.manyToOne(UserEntity).primary().mapToPk().deleteRule('cascade').updateRule('no action').foreignKeyName(foreignKey);

/**
 * The table of the days on which users last logged in or refreshed a session. It is separate from the users, because
 * activity does not change a user's revision. A user without a row has not logged in; release 0.1.0 writes no rows.
 */
export const UserActivityEntity = defineEntity({
  name: 'UserActivityEntity',
  tableName: 'user_activity',
  properties: {
    user: keyOfUser('user_activity_user_id_foreign'),
    /** A day in UTC. */
    lastActiveOn: p.string().columnType('date'),
  },
});
