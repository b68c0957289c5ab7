import { GROUPS } from '@chapter/domain';
import { defineEntity, type InferEntity, type Opt, p } from '@mikro-orm/core';
import { listColumn } from '../mapping.ts';
import { LISTED_USER_COLUMNS, userMapping } from '../user-mapping.ts';
import { DivisionEntity } from './division-entity.ts';

const quoted = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ');

const orderIndexes = Object.values(userMapping).flatMap((field) => {
  if (field.orderIndex === null) return [];
  const name = `user_account_${listColumn(field)}_order`;
  // Searches read the index of the default order alone.
  const include = field === userMapping.dateJoined ? ' include ("search")' : '';
  return [{ name, expression: `create index "${name}" on "user_account" (${quoted(field.orderIndex)})${include}` }];
});

const LISTED_ORDER: readonly string[] = userMapping.dateJoined.orderIndex;

// A migration must add a newly listed column to the index of pages.
const included = quoted(LISTED_USER_COLUMNS.filter((column) => !LISTED_ORDER.includes(column)));

/** The table of users. Keys are texts in the form in which they are compared; see `foldCase` of the domain. */
export const UserEntity = defineEntity({
  name: 'UserEntity',
  tableName: 'user_account',
  uniques: [
    { name: 'user_account_username_key_unique', properties: ['usernameKey'] },
    { name: 'user_account_email_key_unique', properties: ['emailKey'] },
  ],
  indexes: [
    ...orderIndexes,
    {
      name: 'user_account_listed',
      expression: `create index "user_account_listed" on "user_account" (${quoted(LISTED_ORDER)}) include (${included}) where "username" >= ''`,
    },
    {
      name: 'user_account_search',
      expression:
        'create index "user_account_search" on "user_account" using gin (("division_id"::text), "search" gin_trgm_ops) with (gin_pending_list_limit = 256)',
    },
    {
      name: 'user_account_tokens',
      expression:
        'create index "user_account_tokens" on "user_account" using gin ("member_tokens"("division_id", "search", "groups", "is_active", "is_staff", "is_superuser")) with (gin_pending_list_limit = 256)',
    },
    {
      name: 'user_account_active_leader',
      expression: `create index "user_account_active_leader" on "user_account" ("division_id") where "is_active" and "groups" @> '{Leader}'`,
    },
  ],
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
    /** Counts every change; with the division's name version, the revision of the user. */
    version: p.integer().version(),
    /** Everything that a search looks into; no word contains what joins the parts. */
    search: p
      .text()
      .$type<Opt<string>>()
      .collation('C')
      .generated(
        `("username_key" || E'\\x01' || coalesce("email_key", '') || E'\\x01' || "first_name_key" || E'\\x01' || "last_name_key") stored`,
      ),
  },
});

/** A row of {@link UserEntity}. */
export type UserEntity = InferEntity<typeof UserEntity>;
