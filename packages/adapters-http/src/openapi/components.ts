import * as divisions from '../schemas/division.ts';
import * as problems from '../schemas/problem.ts';
import * as service from '../schemas/service.ts';
import * as sessions from '../schemas/session.ts';
import * as users from '../schemas/user.ts';

/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of JSON; what is undefined is not written. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** The schemas that have a name in the document: the one under which they are exported. */
export const namedSchemas: Readonly<Record<string, object>> = {
  ...sessions,
  ...users,
  ...divisions,
  ...service,
  ...problems,
};

const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));

/** A schema as JSON in which every schema that has a name is a reference to it. */
export const withReferences = (schema: unknown): Json => {
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  const name = names.get(schema);
  return name === undefined ? withReferencesInside(schema) : { $ref: `#/components/schemas/${name}` };
};

/** The same, but for the schema itself. */
export const withReferencesInside = (schema: object): Json =>
  Array.isArray(schema)
    ? schema.map(withReferences)
    : Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value)]));
