import { NEW_USER_DEFAULTS, type SentUser, type SnakeCase, type UserListField, userRules } from '@chapter/domain';
import { type TSchema, Type } from 'typebox';
import { closed } from './closed.ts';
import { Birthdate, Groups, Id, Instant, Password, textSchema, Username } from './fields.ts';
import { nullable } from './nullable.ts';

/** The part of a division that its users show. */
export const DivisionReference = Type.Object({ id: Id, name: Type.String() }, closed);

/** A user as lists show them, and as creation and change answer. Contract, section 4. */
export const User = Type.Object(
  {
    id: Id,
    username: Type.String(),
    email: nullable(Type.String()),
    first_name: Type.String(),
    last_name: Type.String(),
    division: DivisionReference,
    groups: Groups,
    birthdate: nullable(Type.String({ format: 'date' })),
    is_active: Type.Boolean(),
    is_staff: Type.Boolean(),
    is_superuser: Type.Boolean(),
    date_joined: Instant,
  } satisfies Record<SnakeCase<UserListField>, TSchema>,
  closed,
);

/** A user as read by id. Specification, section 4.4. */
export const UserSummary = Type.Object(
  {
    id: Id,
    username: Type.String(),
    division: DivisionReference,
    birthdate: nullable(Type.String({ format: 'date' })),
  },
  closed,
);

/** A user as the list of a division shows them. Specification, section 4.11. */
export const DivisionUser = Type.Object({ id: Id, username: Type.String() }, closed);

const PersonName = textSchema(userRules.personName);

const profile = {
  username: Username,
  email: nullable(textSchema(userRules.email)),
  first_name: PersonName,
  last_name: PersonName,
  birthdate: nullable(Birthdate),
  groups: Groups,
  is_active: Type.Boolean(),
  division: Type.String({ format: 'uuid', description: 'The present or own division, and no other.' }),
  password: Password,
} satisfies Record<SnakeCase<keyof SentUser>, TSchema>;

const { username, password, ...optional } = profile;
const { firstName, lastName, groups, isActive } = NEW_USER_DEFAULTS;

// In words: generators of clients take a `default` for a promise that the field is there.
const byDefault = (value: unknown) => ({ description: `Default: ${JSON.stringify(value)}.` });

/** What a creation may send. */
export const NewUser = Type.Object(
  {
    username,
    password,
    ...Type.Partial(
      Type.Object({
        ...optional,
        first_name: { ...PersonName, ...byDefault(firstName) },
        last_name: { ...PersonName, ...byDefault(lastName) },
        groups: { ...Groups, ...byDefault(groups) },
        is_active: Type.Boolean(byDefault(isActive)),
      }),
    ).properties,
  },
  closed,
);

/** What an update of a user may send: a field that is absent stays as it is. */
export const UserChanges = Type.Partial(
  Type.Object({
    ...profile,
    current_password: Type.String({ writeOnly: true, description: 'Required beside a new password of one’s own.' }),
  }),
  closed,
);
