import { NEW_USER_DEFAULTS, type SentUser, type SnakeCase, type UserListField, userRules } from '@chapter/domain/api';
import { type TSchema, Type } from 'typebox';
import {
  Birthdate,
  closed,
  DivisionId,
  freeText,
  Groups,
  Instant,
  nullableSchema,
  objectSchema,
  Password,
  textSchema,
  UserId,
  Username,
} from './fields.ts';

/** The division of a user. */
export const DivisionReference = objectSchema({ id: DivisionId, name: freeText('Riverside') });

const username = freeText('ada');
const birthdate = nullableSchema(Type.String({ format: 'date', examples: ['1990-12-10'] }));

/** A user as in lists and in the responses to POST and PATCH (contract §4). */
export const User = objectSchema({
  id: UserId,
  username,
  email: nullableSchema(freeText('ada@example.org')),
  first_name: freeText('Ada'),
  last_name: freeText('Lovelace'),
  division: DivisionReference,
  groups: Groups,
  birthdate,
  is_active: Type.Boolean({ examples: [true] }),
  is_staff: Type.Boolean({ examples: [false] }),
  is_superuser: Type.Boolean({ examples: [false] }),
  date_joined: Instant,
} satisfies Record<SnakeCase<UserListField>, TSchema>);

/** A user as read by id (contract §4). */
export const UserSummary = objectSchema({ id: UserId, username, division: DivisionReference, birthdate });

/** A user as in the list of a division's users (contract §1). */
export const DivisionUser = objectSchema({ id: UserId, username });

const FirstName = textSchema(userRules.personName, 'Ada');
const LastName = textSchema(userRules.personName, 'Lovelace');

const profile = {
  username: Username,
  email: nullableSchema(textSchema(userRules.email, 'ada@example.org')),
  first_name: FirstName,
  last_name: LastName,
  birthdate: nullableSchema(Birthdate),
  groups: Groups,
  is_active: Type.Boolean({ examples: [true] }),
  division: { ...DivisionId, description: 'The user’s current division. Any other is rejected.' },
  password: Password,
} satisfies Record<SnakeCase<keyof SentUser>, TSchema>;

const { username: newUsername, password, ...optional } = profile;
const { firstName, lastName, groups, isActive } = NEW_USER_DEFAULTS;

// Not as `default`, because generated clients treat a field with a default as always present.
const byDefault = (value: unknown) => ({ description: `Default: ${JSON.stringify(value)}.` });

/** The body that creates a user. */
export const NewUser = objectSchema({
  username: newUsername,
  password,
  ...Type.Partial(
    Type.Object({
      ...optional,
      first_name: { ...FirstName, ...byDefault(firstName) },
      last_name: { ...LastName, ...byDefault(lastName) },
      groups: { ...Groups, ...byDefault(groups) },
      is_active: { ...profile.is_active, ...byDefault(isActive) },
    }),
  ).properties,
});

/** The body that changes a user. An absent field keeps its value. */
export const UserChanges = Type.Partial(
  Type.Object({
    ...profile,
    current_password: Type.String({
      writeOnly: true,
      description: 'Required when users change their own password.',
      examples: ['correct horse battery'],
    }),
  }),
  closed,
);
