import { NEW_USER_DEFAULTS, type SentUser, type SnakeCase, type UserListField, userRules } from '@chapter/domain';
import { type TSchema, Type } from 'typebox';
import { closed } from './closed.ts';
import { Birthdate, DivisionId, Groups, Instant, Password, textSchema, UserId, Username } from './fields.ts';
import { nullable } from './nullable.ts';

/** The part of a division that its users show. */
export const DivisionReference = Type.Object(
  { id: DivisionId, name: Type.String({ examples: ['Riverside'] }) },
  closed,
);

const username = Type.String({ examples: ['ada'] });
const birthdate = nullable(Type.String({ format: 'date', examples: ['1990-12-10'] }));

/** A user as lists show them, and as creation and change answer. Contract, section 4. */
export const User = Type.Object(
  {
    id: UserId,
    username,
    email: nullable(Type.String({ examples: ['ada@example.org'] })),
    first_name: Type.String({ examples: ['Ada'] }),
    last_name: Type.String({ examples: ['Lovelace'] }),
    division: DivisionReference,
    groups: Groups,
    birthdate,
    is_active: Type.Boolean({ examples: [true] }),
    is_staff: Type.Boolean({ examples: [false] }),
    is_superuser: Type.Boolean({ examples: [false] }),
    date_joined: Instant,
  } satisfies Record<SnakeCase<UserListField>, TSchema>,
  closed,
);

/** A user as read by id. Specification, section 4.4. */
export const UserSummary = Type.Object({ id: UserId, username, division: DivisionReference, birthdate }, closed);

/** A user as the list of a division shows them. Specification, section 4.11. */
export const DivisionUser = Type.Object({ id: UserId, username }, closed);

const FirstName = textSchema(userRules.personName, 'Ada');
const LastName = textSchema(userRules.personName, 'Lovelace');

const profile = {
  username: Username,
  email: nullable(textSchema(userRules.email, 'ada@example.org')),
  first_name: FirstName,
  last_name: LastName,
  birthdate: nullable(Birthdate),
  groups: Groups,
  is_active: Type.Boolean({ examples: [true] }),
  division: { ...DivisionId, description: 'The user’s present division. No other is accepted.' },
  password: Password,
} satisfies Record<SnakeCase<keyof SentUser>, TSchema>;

const { username: newUsername, password, ...optional } = profile;
const { firstName, lastName, groups, isActive } = NEW_USER_DEFAULTS;

// In words: generators of clients take a `default` for a promise that the field is there.
const byDefault = (value: unknown) => ({ description: `Default: ${JSON.stringify(value)}.` });

/** What a creation may send. */
export const NewUser = Type.Object(
  {
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
  },
  closed,
);

/** What an update of a user may send: a field that is absent stays as it is. */
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
