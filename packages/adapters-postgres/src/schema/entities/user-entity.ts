import { GROUPS } from '@chapter/domain';
import { defineEntity, type InferEntity, type Opt, p } from '@mikro-orm/core';
import { LISTED_USER_COLUMNS } from '../listed-user-columns.ts';
import { DivisionEntity } from './division-entity.ts';

const ORDERED_COLUMNS = ['username_key', 'email_key', 'first_name_key', 'last_name_key', 'birthdate'];

const ordered = (column: string) => ({
  name: `user_account_${column}_order`,
  expression: `create index "user_account_${column}_order" on "user_account" ("division_id", "${column}", "id")`,
});

const LISTED_ORDER: ReadonlySet<string> = new Set(['division_id', 'date_joined', 'id']);

// Whatever a list comes to show belongs into the index of its pages, by another migration.
const included = LISTED_USER_COLUMNS.filter((column) => !LISTED_ORDER.has(column))
  .map((column) => `"${column}"`)
  .join(', ');

/** The table of users. Keys are texts in the form in which they are compared; see `foldCase` of the domain. */
export const UserEntity = defineEntity({
  name: 'UserEntity',
  tableName: 'user_account',
  uniques: [
    { name: 'user_account_username_key_unique', properties: ['usernameKey'] },
    { name: 'user_account_email_key_unique', properties: ['emailKey'] },
  ],
  indexes: [
    ...ORDERED_COLUMNS.map(ordered),
    {
      name: 'user_account_date_joined_order',
      expression:
        'create index "user_account_date_joined_order" on "user_account" ("division_id", "date_joined", "id") include ("search")',
    },
    {
      name: 'user_account_listed',
      expression: `create index "user_account_listed" on "user_account" ("division_id", "date_joined", "id") include (${included}) where "username" >= ''`,
    },
    {
      name: 'user_account_id_order',
      expression: 'create index "user_account_id_order" on "user_account" ("division_id", "id")',
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
