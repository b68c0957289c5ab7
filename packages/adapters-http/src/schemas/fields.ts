import { divisionRules, EARLIEST_BIRTHDATE, GROUPS, passwordRule, type TextRule, userRules } from '@chapter/domain/api';
import { type Static, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox';

/** The parts of a schema from which its example derives. */
export interface ExampleSource {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly items?: ExampleSource;
  readonly properties?: Readonly<Record<string, ExampleSource>>;
}

/** Returns the schema's own example, or derives one from its constant, its choices, its items or its properties. */
export const exampleOf = (schema: object): unknown => {
  const { const: constant, enum: choices, examples, items, properties } = schema as ExampleSource;
  if (examples) return examples[0];
  if (items) return [exampleOf(items)];
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, exampleOf(one)]));
  return constant ?? choices?.[0];
};

/** Returns the schema with `null` as a second type (JSON Schema 2020-12). */
export const nullableSchema = <T extends TSchema & { type: string }>(schema: T): TUnsafe<Static<T> | null> =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });

/** The option of a schema that allows no additional properties. */
export const closed = { additionalProperties: false };

/** Returns the schema of an object without additional properties. */
export const objectSchema = <P extends TProperties>(properties: P) => Type.Object(properties, closed);

const lengths = ({ min, max }: TextRule) => ({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });

/** Returns the schema of a text. The schema documents the limits of the domain; the domain checks them. */
export const textSchema = (rule: TextRule, example: string) =>
  Type.String({ ...lengths(rule), ...(rule.pattern ? { pattern: rule.pattern.source } : {}), examples: [example] });

const nameSchema = (rule: TextRule, example: string) => ({
  ...textSchema(rule, example),
  description: 'Must be unique, and not a UUID.',
});

/** Returns the schema of a text without limits. */
export const freeText = (example: string, description?: string) =>
  Type.String({ ...(description === undefined ? {} : { description }), examples: [example] });

/** The id of a user: a UUID in lower case. */
export const UserId = Type.String({ format: 'uuid', examples: ['019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7aa'] });

/** The id of a division: a UUID in lower case. */
export const DivisionId = Type.String({ format: 'uuid', examples: ['019aa7c2-7f31-7c6e-8a44-3f6d1d0b5e01'] });

/** The id of a session. */
export const SessionId = Type.String({ format: 'uuid', examples: ['019aa7c3-0d42-7f5b-9a1e-5b8f2c7d4e90'] });

/** The id of a personal access token. */
export const PersonalTokenId = Type.String({ format: 'uuid', examples: ['019aa7c4-31c2-7d0a-8f77-90b1d4e2a6c3'] });

/** A user's login name. */
export const Username = nameSchema(userRules.username, 'ada');

/** The name of a group. */
export const GroupName = Type.Enum([...GROUPS], { type: 'string', examples: ['User'] });

/** The groups of a user. */
export const Groups = Type.Array(GroupName, { uniqueItems: true, maxItems: GROUPS.length, examples: [['User']] });

/** A date between the earliest birthdate and today. */
export const Birthdate = Type.String({
  format: 'date',
  description: `A date (YYYY-MM-DD) from ${EARLIEST_BIRTHDATE} to today.`,
  examples: ['1990-12-10'],
});

/** A password. No response contains it. */
export const Password = Type.String({
  minLength: passwordRule.min,
  maxLength: passwordRule.max,
  writeOnly: true,
  examples: ['correct horse battery'],
  description: `A new password. The service can be configured to require more than ${passwordRule.min} characters.`,
});

/** A division's name. */
export const DivisionName = nameSchema(divisionRules.name, 'Riverside');

/** An http or https URL, or null. */
export const Url = nullableSchema(
  Type.String({
    ...lengths(divisionRules.url),
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
    description: 'An http or https URL.',
    examples: ['https://example.org/riverside'],
  }),
);

/** A moment in UTC with milliseconds. */
export const Instant = Type.String({ format: 'date-time', examples: ['2026-01-31T09:30:00.000Z'] });
